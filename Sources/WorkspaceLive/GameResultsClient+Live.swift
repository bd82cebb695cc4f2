import Foundation
import StoreActor
package import Workspace

extension GameResultsClient {
  /// A client that writes a file: the results as JSON, the newest last.
  ///
  /// The file is replaced as a whole, so that it is never half written; the work is done away from
  /// the main thread.
  ///
  /// - Parameter path: Where the file is.
  /// - Returns: The client.
  package static func file(at path: String) -> GameResultsClient {
    GameResultsClient { results in try await write(results, to: path) }
  }

  @concurrent
  private static func write(_ results: [GameResult.State], to path: String) async throws {
    let saved = results.map(SavedResult.init)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    do {
      try encoder.encode(saved).write(to: URL(filePath: path), options: .atomic)
    } catch {
      throw SaveError("\(path) could not be written: \(error.localizedDescription)")
    }
  }

  /// A result as the file has it.
  private struct SavedResult: Encodable {
    let id: UUID
    let guess: Int
    let secret: Int
    let seconds: Double

    init(_ result: GameResult.State) {
      id = result.id
      guess = result.guess
      secret = result.secret
      seconds = result.timeSpent / .seconds(1)
    }
  }
}
