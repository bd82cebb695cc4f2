import StoreHistory

/// A copy that was found at its place is compared with its list and with the source.
extension JournalFollower {
  /// Finds the state of the copy.
  ///
  /// Files with other content than listed are not counted, so that they are copied again.
  ///
  /// - Parameter segments: The source's segments.
  /// - Throws: ``JournalError``, with the code `occupied` if the copy is one of another history.
  func compare(_ segments: [LogSegment]) throws(JournalError) {
    let heading = CopyList(history: history, root: root).heading
    let (lines, found) = try place.list(
      heading: heading,
      mustExist: wasKept,
      isQuick: isVerified,
    )
    guard !lines.isEmpty else {
      throw JournalError(.busy, "\(place.name) has not sent its list.")
    }
    guard let list = CopyList(lines: lines), list.history == history, list.root == root else {
      let heading = lines[0].prefix(100)
      throw JournalError(
        .occupied,
        "\(place.name) has a copy of another history: \(heading). Name a directory that is empty, "
          + "or new.",
      )
    }
    var known: [String: CopyList.File] = [:]
    var unlisted: [(segment: LogSegment, found: CopyPlace.Found)] = []
    leftovers = []
    for file in found {
      if let listed = list.files[file.name] {
        var isKnown = file.fits(listed)
        if !isKnown { isKnown = try !isReplaceable(listed) }
        if isKnown { known[file.name] = listed }
      } else if let segment = LogSegment(copyName: file.name) {
        unlisted.append((segment, file))
      } else if let revision = SnapshotFile.revision(copyName: file.name) {
        // It was being listed; it is copied again if the source has it.
        if try DurableFile.exists("\(source)/\(file.name)") { continue }
        known[file.name] = CopyList.File(name: file.name, sum: file.sum, last: revision)
      }
    }
    files = known
    growing = nil
    unlisted.sort { $0.segment < $1.segment }
    for (segment, file) in unlisted { try compare(segment, file, segments) }
    markGaps(segments)
    // Lines of files that are gone, and damaged lines.
    if list.files.count != known.count || list.files.count + 1 != lines.count { try compactList() }
    isVerified = true
  }

  /// Reports a damaged file of the copy.
  ///
  /// - Returns: Whether the source has it, so that it is copied again. Otherwise it stays: the
  ///   history before it may be needed.
  private func isReplaceable(_ file: CopyList.File) throws(JournalError) -> Bool {
    let isThere = try DurableFile.exists("\(source)/\(file.name)")
    onEvent(isThere ? .replaced(file.name) : .stale(file.name))
    return isThere
  }

  /// Compares a segment without a line: the one that grew, or that was just completed.
  private func compare(
    _ segment: LogSegment,
    _ found: CopyPlace.Found,
    _ segments: [LogSegment],
  ) throws(JournalError) {
    guard let number = segments.firstIndex(of: segment) else {
      return try adopt(segment, found, segments)
    }
    let next = segments.dropFirst(number + 1).first
    let loaded = try LoadedSegment(segment, in: source, isWritten: next == nil)
    let all = try SegmentPart(of: loaded, before: next?.first)
    let bytes = Self.bytes(of: loaded, all)
    if all.isDamaged { throw damage(after: all.last, segment) }
    let size = found.bytes
    if size <= bytes.count, CopyChecksum(bytes[..<size]).text == found.sum {
      let part = try SegmentPart(of: loaded, before: next?.first, atMost: size)
      guard part.place == size else { return onEvent(.replaced(found.name)) }
      growing = Growing(segment: segment, part: part, sum: CopyChecksum(bytes[..<size]))
      return
    }
    // It has other revisions than the source, or is damaged.
    let copy = try place.read(found.name, found.sum)
    guard (try? Self.part(of: copy, segment)) != nil else { return onEvent(.replaced(found.name)) }
    if all.isTorn, bytes.count < copy.count { throw damage(after: all.last, segment) }
    try checkVoid(bytes, of: loaded, next, copy)
  }

  /// Lists a segment that the source no longer has.
  private func adopt(
    _ segment: LogSegment,
    _ found: CopyPlace.Found,
    _ segments: [LogSegment],
  ) throws(JournalError) {
    let bytes = try place.read(segment.copyName, found.sum)
    let part = try? Self.part(of: bytes, segment)
    if let part, part.last < segment.first, segments.contains(where: { $0.first == segment.first })
    {
      // It was empty, and a later term has replaced it.
      leftovers.insert(segment.copyName)
      return
    }
    guard let oldest = segments.first, segment < oldest else {
      throw otherPast(segment.copyName)
    }
    guard let part else { return onEvent(.stale(segment.copyName)) }
    files?[segment.copyName] = CopyList.File(segment, part, CopyChecksum(bytes[...]))
    try compactList()
  }

  /// Reads a segment of the copy, which has nothing but whole entries.
  private static func part(
    of bytes: [UInt8],
    _ segment: LogSegment,
  ) throws(JournalError) -> SegmentPart {
    let loaded = try LoadedSegment(segment, bytes, path: segment.copyName)
    let part = try SegmentPart(of: loaded, before: nil)
    guard !part.isDamaged, part.place == bytes.count else {
      throw JournalError(.corrupt, "\(segment.copyName) of the copy is damaged.")
    }
    return part
  }

  /// Marks what precedes a gap that the source cannot fill.
  private func markGaps(_ segments: [LogSegment]) {
    var before: UInt64?
    var all = finished.map { (first: $0.segment.first, last: $0.file.last) }
    if let growing { all.append((growing.segment.first, growing.part.last)) }
    for (first, last) in all {
      if let before, before + 1 < first, before + 1 < segments.first?.first ?? 0 {
        for file in (files ?? [:]).values where file.last <= before { leftovers.insert(file.name) }
      }
      before = last
    }
  }
}
