import StoreState

/// Where the elements of an identified array were when they were last looked through, so that one
/// of many is found without doing that again.
///
/// Elements that come and go shift others by one place each, so an element is looked for near where
/// it was; whatever is found is compared with what was wanted.
struct RowPlaces: Sendable {
  /// Shorter arrays are looked through.
  private static let least = 64
  /// Shifts after which all are looked through again, which costs as much as that many are looked
  /// at.
  private static let mostShifts = 256

  /// Places by the hashes of ids.
  private var places: [Int: Int] = [:]
  /// By how many places an element may have been shifted since.
  private var shifts = 0

  /// Finds an element.
  ///
  /// - Parameters:
  ///   - key: Its id.
  ///   - elements: All of them.
  ///   - field: What the field of the id is called.
  /// - Returns: Its place; nil where it is not there.
  mutating func place(of key: GenericValue, in elements: [GenericValue], by field: String) -> Int? {
    guard elements.count >= Self.least else {
      return elements.firstIndex { $0[field: field] == key }
    }
    if let place = near(key, elements, field) { return place }
    places.removeAll(keepingCapacity: true)
    places.reserveCapacity(elements.count)
    shifts = 0
    for (place, element) in elements.enumerated() {
      if let key = element[field: field] { places[key.hashValue] = place }
    }
    return near(key, elements, field)
  }

  private func near(_ key: GenericValue, _ elements: [GenericValue], _ field: String) -> Int? {
    guard shifts <= Self.mostShifts, let known = places[key.hashValue] else { return nil }
    for distance in 0...shifts {
      for place in [known - distance, known + distance]
      where elements.indices.contains(place) && elements[place][field: field] == key {
        return place
      }
    }
    return nil
  }

  /// Takes note that elements have come or gone, which shifts others.
  mutating func shift(by count: Int) {
    shifts = min(shifts + count, Self.mostShifts + 1)
  }

  /// Takes note of where an element has been put.
  mutating func put(_ key: GenericValue, at place: Int) {
    if !places.isEmpty { places[key.hashValue] = place }
  }
}
