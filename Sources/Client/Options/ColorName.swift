/// Common names of colours, with their values in CSS (CSS Color Module Level 4, section 6.1).
enum ColorName {
  /// `#RRGGBB` by name.
  static let colors: [String: String] = [
    "black": "#000000", "blue": "#0000FF", "brown": "#A52A2A", "cyan": "#00FFFF",
    "gold": "#FFD700", "gray": "#808080", "green": "#008000", "grey": "#808080",
    "lime": "#00FF00", "magenta": "#FF00FF", "maroon": "#800000", "navy": "#000080",
    "olive": "#808000", "orange": "#FFA500", "pink": "#FFC0CB", "purple": "#800080",
    "red": "#FF0000", "teal": "#008080", "turquoise": "#40E0D0", "violet": "#EE82EE",
    "white": "#FFFFFF", "yellow": "#FFFF00",
  ]

  static let names = colors.keys.sorted()
}
