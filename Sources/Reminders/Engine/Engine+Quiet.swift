import Geofencing

/// The state that another engine needs to go on where this one is.
extension Engine {
  /// Whether the histories and the positions of the last minutes hold all of it: no decision is
  /// half made. The fixes of an anchor watch's hold are among those positions.
  /// - Complexity: O(categories).
  package var isQuiet: Bool {
    monitor.isQuiet && watches.allSatisfy { $0.fences.isQuiet && $0.isSettled } && waiting.isEmpty
      && excursion == nil && behindSince == nil
  }

  /// The scatter of the receiver at rest (`FenceMonitor.learntNoise`).
  package var learntNoise: (squares: Double, blocks: Double) {
    get { monitor.learntNoise }
    set { monitor.learntNoise = newValue }
  }
}
