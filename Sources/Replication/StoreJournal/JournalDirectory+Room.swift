import Foundation

extension JournalDirectory {
  /// The path of the reserve, a file that is released when the disk is full.
  var reservePath: String { "\(directory)/reserve" }

  /// Calls a function that needs room; if the disk is full, releases the reserve and repeats it.
  func withRoom<Result>(
    _ body: () throws(JournalError) -> Result
  ) throws(JournalError) -> Result {
    do throws(JournalError) {
      return try body()
    } catch {
      guard error.code == .full, giveUpReserve() else { throw error }
      return try body()
    }
  }

  private func giveUpReserve() -> Bool {
    (try? FileManager.default.removeItem(atPath: reservePath)) != nil
  }

  /// Releases the reserve, removes the torn ends and all history that no restart needs, and
  /// recreates the reserve.
  ///
  /// Call it when the disk is full.
  ///
  /// - Returns: Whether files were removed.
  /// - Throws: ``JournalError``.
  package func makeRoom() throws(JournalError) -> Bool {
    // Some file systems need room to remove a file.
    let hadReserve = giveUpReserve()
    defer { if hadReserve { _ = DurableFile.reserve(Self.reserveBytes, at: reservePath) } }
    do throws(JournalError) {
      let torn = try LogSegment.tornPaths(in: directory)
      Self.remove(torn)
      var isMore = !torn.isEmpty
      while try trim(.nothing) { isMore = true }
      return isMore
    } catch {
      if error.code.isForNow { return false }
      throw error
    }
  }
}
