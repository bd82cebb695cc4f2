package import StoreProtocol
package import StoreState

/// A snapshot, or a batch of records, with the schema of the build that wrote it.
package struct HistoryPart: Sendable {
  package var schema: SchemaDocument
  package var bytes: [UInt8]
  /// An upper bound of all session numbers at the time when the records were kept.
  package var sessionNumbers: UInt64

  package init(schema: SchemaDocument, bytes: [UInt8], sessionNumbers: UInt64 = 0) {
    self.schema = schema
    self.bytes = bytes
    self.sessionNumbers = sessionNumbers
  }
}

extension HistoryPart {
  /// Passes records, each with its bytes, to `body` until it returns false.
  ///
  /// - Returns: Whether `body` returned true for each record.
  func withRecords(
    _ body: (JournalRecord, ArraySlice<UInt8>) throws(HistoryError) -> Bool
  ) throws(HistoryError) -> Bool {
    var decoder = CBORDecoder(bytes)
    while decoder.offset < bytes.count {
      let start = decoder.offset
      let record: JournalRecord
      do throws(CodecError) {
        record = try JournalRecord(from: &decoder)
      } catch {
        throw HistoryError(.corrupt, "A record cannot be read: \(error)")
      }
      if try !body(record, bytes[start..<decoder.offset]) { return false }
    }
    return true
  }

  /// The revision of a snapshot.
  package func snapshotRevision() throws(HistoryError) -> UInt64 {
    do throws(CodecError) {
      return try SnapshotBytes.revision(of: bytes[...])
    } catch {
      throw HistoryError(.corrupt, "A snapshot cannot be read: \(error)")
    }
  }

  /// The consecutive records up to a revision.
  ///
  /// - Parameter last: The revision.
  /// - Returns: Their revisions and bytes; nil if all records are of later revisions.
  /// - Throws: ``HistoryError``.
  package func records(
    through last: UInt64
  ) throws(HistoryError) -> (revisions: ClosedRange<UInt64>, bytes: ArraySlice<UInt8>)? {
    var revisions: ClosedRange<UInt64>?
    var end = 0
    _ = try withRecords { (record, bytes) throws(HistoryError) in
      guard record.revision <= last else { return false }
      if let revisions, revisions.upperBound + 1 != record.revision {
        throw HistoryError.missing(revisions.upperBound + 1, before: record.revision)
      }
      revisions = (revisions?.lowerBound ?? record.revision)...record.revision
      end = bytes.endIndex
      // The records after it may be damaged and are not needed.
      return record.revision < last
    }
    return revisions.map { ($0, bytes[..<end]) }
  }

  /// The part with only the records of some revisions.
  package func records(of revisions: ClosedRange<UInt64>) throws(HistoryError) -> HistoryPart {
    var found: Range<Int>?
    _ = try withRecords { (record, bytes) throws(HistoryError) in
      if revisions.contains(record.revision) {
        found = (found?.lowerBound ?? bytes.startIndex)..<bytes.endIndex
      }
      return record.revision < revisions.upperBound
    }
    return HistoryPart(
      schema: schema,
      bytes: found.map { Array(bytes[$0]) } ?? [],
      sessionNumbers: sessionNumbers,
    )
  }
}
