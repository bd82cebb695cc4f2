import Foundation

extension JournalDirectory {
  /// Takes room that is given up where the disk is full.
  var reservePath: String { "\(directory)/reserve" }

  /// Does something that takes some room, and again without the reserve where there was none.
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

  /// Gives up the reserve, the ends that were cut off, and all history that no restart needs.
  ///
  /// For a disk that is full.
  ///
  /// - Returns: Whether there is room now that was not there before.
  /// - Throws: ``JournalError``.
  package func makeRoom() throws(JournalError) -> Bool {
    // Some file systems need room to let go of something.
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
