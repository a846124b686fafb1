/// Zones for the TZIDs of Outlook and Exchange: the default territory (001) of the Unicode CLDR's
/// windowsZones.xml, with the names that Windows shows in English.
enum WindowsZones {
  /// The tz database's name for a zone of Windows, by its own name or by the shown one, with an
  /// offset such as `(UTC+10:00)` before it or not.
  static func zone(for name: String) -> String? {
    var shown = name[...]
    if name.hasPrefix("("), let end = name.firstIndex(of: ")") {
      shown = name[name.index(after: end)...]
    }
    // Outlook numbers a second description: `Eastern Standard Time 1`.
    return zones[key(shown)] ?? zones[key(shown[...].dropLast(2))]
  }

  private static let zones = {
    var zones: [String: String] = [:]
    for line in table.split(separator: "\n") {
      let columns = line.split(separator: "|")
      for name in columns.dropFirst() { zones[key(name)] = String(columns[0]) }
    }
    return zones
  }()

  /// Writers differ in case, and in "US & Canada" or "US and Canada".
  private static func key(_ name: Substring) -> String {
    String(name).trimmedText(limit: 100).lowercased().replacing(" and ", with: " & ")
  }

  /// The tz database's name, the name of Windows, and the shown name, a line each.
  private static let table = """
    Etc/GMT+12|Dateline Standard Time|International Date Line West
    America/Adak|Aleutian Standard Time|Aleutian Islands
    Pacific/Honolulu|Hawaiian Standard Time|Hawaii
    Pacific/Marquesas|Marquesas Standard Time|Marquesas Islands
    America/Anchorage|Alaskan Standard Time|Alaska
    America/Tijuana|Pacific Standard Time (Mexico)|Baja California
    America/Los_Angeles|Pacific Standard Time|Pacific Time (US & Canada)
    America/Phoenix|US Mountain Standard Time|Arizona
    America/Mazatlan|Mountain Standard Time (Mexico)|Chihuahua, La Paz, Mazatlan
    America/Denver|Mountain Standard Time|Mountain Time (US & Canada)
    America/Whitehorse|Yukon Standard Time|Yukon
    America/Guatemala|Central America Standard Time|Central America
    America/Chicago|Central Standard Time|Central Time (US & Canada)
    Pacific/Easter|Easter Island Standard Time|Easter Island
    America/Mexico_City|Central Standard Time (Mexico)|Guadalajara, Mexico City, Monterrey
    America/Regina|Canada Central Standard Time|Saskatchewan
    America/Bogota|SA Pacific Standard Time|Bogota, Lima, Quito, Rio Branco
    America/Cancun|Eastern Standard Time (Mexico)|Chetumal
    America/New_York|Eastern Standard Time|Eastern Time (US & Canada)
    America/Port-au-Prince|Haiti Standard Time|Haiti
    America/Havana|Cuba Standard Time|Havana
    America/Indiana/Indianapolis|US Eastern Standard Time|Indiana (East)
    America/Grand_Turk|Turks And Caicos Standard Time|Turks and Caicos
    America/Asuncion|Paraguay Standard Time|Asuncion
    America/Halifax|Atlantic Standard Time|Atlantic Time (Canada)
    America/Caracas|Venezuela Standard Time|Caracas
    America/Cuiaba|Central Brazilian Standard Time|Cuiaba
    America/La_Paz|SA Western Standard Time|Georgetown, La Paz, Manaus, San Juan
    America/Santiago|Pacific SA Standard Time|Santiago
    America/St_Johns|Newfoundland Standard Time|Newfoundland
    America/Araguaina|Tocantins Standard Time|Araguaina
    America/Sao_Paulo|E. South America Standard Time|Brasilia
    America/Cayenne|SA Eastern Standard Time|Cayenne, Fortaleza
    America/Argentina/Buenos_Aires|Argentina Standard Time|City of Buenos Aires
    America/Nuuk|Greenland Standard Time|Greenland
    America/Montevideo|Montevideo Standard Time|Montevideo
    America/Punta_Arenas|Magallanes Standard Time|Punta Arenas
    America/Miquelon|Saint Pierre Standard Time|Saint Pierre and Miquelon
    America/Bahia|Bahia Standard Time|Salvador
    Atlantic/Azores|Azores Standard Time|Azores
    Atlantic/Cape_Verde|Cape Verde Standard Time|Cabo Verde Is.
    Europe/London|GMT Standard Time|Dublin, Edinburgh, Lisbon, London
    Atlantic/Reykjavik|Greenwich Standard Time|Monrovia, Reykjavik
    Africa/Sao_Tome|Sao Tome Standard Time|Sao Tome
    Africa/Casablanca|Morocco Standard Time|Casablanca
    Europe/Berlin|W. Europe Standard Time|Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna
    Europe/Budapest|Central Europe Standard Time|Belgrade, Bratislava, Budapest, Ljubljana, Prague
    Europe/Paris|Romance Standard Time|Brussels, Copenhagen, Madrid, Paris
    Europe/Warsaw|Central European Standard Time|Sarajevo, Skopje, Warsaw, Zagreb
    Africa/Lagos|W. Central Africa Standard Time|West Central Africa
    Asia/Amman|Jordan Standard Time|Amman
    Europe/Bucharest|GTB Standard Time|Athens, Bucharest
    Asia/Beirut|Middle East Standard Time|Beirut
    Africa/Cairo|Egypt Standard Time|Cairo
    Europe/Chisinau|E. Europe Standard Time|Chisinau
    Asia/Damascus|Syria Standard Time|Damascus
    Asia/Hebron|West Bank Standard Time|Gaza, Hebron
    Africa/Johannesburg|South Africa Standard Time|Harare, Pretoria
    Europe/Kyiv|FLE Standard Time|Helsinki, Kyiv, Riga, Sofia, Tallinn, Vilnius
    Asia/Jerusalem|Israel Standard Time|Jerusalem
    Africa/Juba|South Sudan Standard Time|Juba
    Europe/Kaliningrad|Kaliningrad Standard Time|Kaliningrad
    Africa/Khartoum|Sudan Standard Time|Khartoum
    Africa/Tripoli|Libya Standard Time|Tripoli
    Africa/Windhoek|Namibia Standard Time|Windhoek
    Asia/Baghdad|Arabic Standard Time|Baghdad
    Europe/Istanbul|Turkey Standard Time|Istanbul
    Asia/Riyadh|Arab Standard Time|Kuwait, Riyadh
    Europe/Minsk|Belarus Standard Time|Minsk
    Europe/Moscow|Russian Standard Time|Moscow, St. Petersburg
    Africa/Nairobi|E. Africa Standard Time|Nairobi
    Asia/Tehran|Iran Standard Time|Tehran
    Asia/Dubai|Arabian Standard Time|Abu Dhabi, Muscat
    Europe/Astrakhan|Astrakhan Standard Time|Astrakhan, Ulyanovsk
    Asia/Baku|Azerbaijan Standard Time|Baku
    Europe/Samara|Russia Time Zone 3|Izhevsk, Samara
    Indian/Mauritius|Mauritius Standard Time|Port Louis
    Asia/Tbilisi|Georgian Standard Time|Tbilisi
    Asia/Yerevan|Caucasus Standard Time|Yerevan
    Europe/Volgograd|Volgograd Standard Time|Volgograd
    Europe/Saratov|Saratov Standard Time|Saratov
    Asia/Kabul|Afghanistan Standard Time|Kabul
    Asia/Tashkent|West Asia Standard Time|Ashgabat, Tashkent
    Asia/Yekaterinburg|Ekaterinburg Standard Time|Ekaterinburg
    Asia/Karachi|Pakistan Standard Time|Islamabad, Karachi
    Asia/Qyzylorda|Qyzylorda Standard Time|Qyzylorda
    Asia/Kolkata|India Standard Time|Chennai, Kolkata, Mumbai, New Delhi
    Asia/Colombo|Sri Lanka Standard Time|Sri Jayawardenepura
    Asia/Kathmandu|Nepal Standard Time|Kathmandu
    Asia/Bishkek|Central Asia Standard Time|Bishkek
    Asia/Dhaka|Bangladesh Standard Time|Dhaka
    Asia/Omsk|Omsk Standard Time|Omsk
    Asia/Yangon|Myanmar Standard Time|Yangon (Rangoon)
    Asia/Barnaul|Altai Standard Time|Barnaul, Gorno-Altaysk
    Asia/Bangkok|SE Asia Standard Time|Bangkok, Hanoi, Jakarta
    Asia/Hovd|W. Mongolia Standard Time|Hovd
    Asia/Krasnoyarsk|North Asia Standard Time|Krasnoyarsk
    Asia/Novosibirsk|N. Central Asia Standard Time|Novosibirsk
    Asia/Tomsk|Tomsk Standard Time|Tomsk
    Asia/Shanghai|China Standard Time|Beijing, Chongqing, Hong Kong, Urumqi
    Asia/Irkutsk|North Asia East Standard Time|Irkutsk
    Asia/Singapore|Singapore Standard Time|Kuala Lumpur, Singapore
    Australia/Perth|W. Australia Standard Time|Perth
    Asia/Taipei|Taipei Standard Time|Taipei
    Asia/Ulaanbaatar|Ulaanbaatar Standard Time|Ulaanbaatar
    Australia/Eucla|Aus Central W. Standard Time|Eucla
    Asia/Chita|Transbaikal Standard Time|Chita
    Asia/Tokyo|Tokyo Standard Time|Osaka, Sapporo, Tokyo
    Asia/Pyongyang|North Korea Standard Time|Pyongyang
    Asia/Seoul|Korea Standard Time|Seoul
    Asia/Yakutsk|Yakutsk Standard Time|Yakutsk
    Australia/Adelaide|Cen. Australia Standard Time|Adelaide
    Australia/Darwin|AUS Central Standard Time|Darwin
    Australia/Brisbane|E. Australia Standard Time|Brisbane
    Australia/Sydney|AUS Eastern Standard Time|Canberra, Melbourne, Sydney
    Pacific/Port_Moresby|West Pacific Standard Time|Guam, Port Moresby
    Australia/Hobart|Tasmania Standard Time|Hobart
    Asia/Vladivostok|Vladivostok Standard Time|Vladivostok
    Australia/Lord_Howe|Lord Howe Standard Time|Lord Howe Island
    Pacific/Bougainville|Bougainville Standard Time|Bougainville Island
    Asia/Srednekolymsk|Russia Time Zone 10|Chokurdakh
    Asia/Magadan|Magadan Standard Time|Magadan
    Asia/Sakhalin|Sakhalin Standard Time|Sakhalin
    Pacific/Guadalcanal|Central Pacific Standard Time|Solomon Is., New Caledonia
    Pacific/Norfolk|Norfolk Standard Time|Norfolk Island
    Asia/Kamchatka|Russia Time Zone 11|Anadyr, Petropavlovsk-Kamchatsky
    Pacific/Auckland|New Zealand Standard Time|Auckland, Wellington
    Pacific/Fiji|Fiji Standard Time|Fiji
    Pacific/Chatham|Chatham Islands Standard Time|Chatham Islands
    Pacific/Tongatapu|Tonga Standard Time|Nuku'alofa
    Pacific/Apia|Samoa Standard Time|Samoa
    Pacific/Kiritimati|Line Islands Standard Time|Kiritimati Island
    America/Mexico_City|Mexico Standard Time
    America/Mazatlan|Mexico Standard Time 2
    Asia/Kamchatka|Kamchatka Standard Time
    Etc/GMT+2|Mid-Atlantic Standard Time|Coordinated Universal Time-02
    Asia/Yerevan|Armenian Standard Time
    Europe/Berlin|Mitteleuropäische Zeit|Amsterdam, Berlin, Bern, Rom, Stockholm, Wien
    """
}
