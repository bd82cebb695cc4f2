import GenericState
import StoreActor
import StoreProtocol
import StoreState

extension JournalRecord {
  /// Looks whether what was sent is an action's form, which it is whatever its types are.
  func checkAction() throws(HistoryError) {
    let action: [UInt8]? =
      switch origin {
      case .client(let sent): sent.action
      case .internal(let sent): sent.form?.action
      case .daemon, .session, .restored: nil
      }
    guard let action else { return }
    do throws(CodecError) {
      _ = try GenericValue(encoded: action)
    } catch {
      throw HistoryError(.corrupt, "The action of revision \(revision) cannot be read: \(error)")
    }
  }

  /// Whether a client caused it; true where none is asked for.
  func isOf(_ client: Identifier?) -> Bool {
    guard let client else { return true }
    if case .client(let action) = origin { return action.client == client }
    return false
  }

  /// What the log tells of the record (`docs/PROTOCOL.md` §8.3).
  ///
  /// - Parameters:
  ///   - changed: The names of what changed; nil where that is not known.
  ///   - limits: How much is told.
  ///   - telling: What may be told.
  /// - Returns: A map, and roughly the bytes that it has.
  func entry(
    changed: [String]?,
    _ limits: PastLimits,
    _ telling: PastTelling,
  ) -> (value: GenericValue, bytes: Int) {
    let tellsAll = telling == .all
    var entry = Entry(limits: limits)
    entry.add("revision", .unsigned(revision))
    entry.add("time", .unsigned(wallMilliseconds))
    if telling != .changes { entry.add(origin, tellsAll: tellsAll) }
    if let changed { entry.add("changed", .array(changed.map { .text($0) })) }
    if telling != .changes, let microseconds = details.microseconds {
      entry.add("us", .unsigned(microseconds))
    }
    if tellsAll {
      entry.add("bytes", .unsigned(UInt64(delta?.count ?? 0)))
      if !details.began.isEmpty {
        entry.add("began", .array(details.began.map { .text($0.effect.name) }))
      }
      if !details.ended.isEmpty {
        entry.add("ended", .unsigned(UInt64(details.ended.count)))
      }
      if !details.forgotten.isEmpty {
        entry.add("forgot", .array(details.forgotten.map { .text($0.hexadecimal) }))
      }
    }
    return (entry.value, entry.bytes)
  }

  private struct Entry {
    let limits: PastLimits
    private var fields: [(String, GenericValue)] = []
    private(set) var bytes = 64

    init(limits: PastLimits) { self.limits = limits }

    var value: GenericValue { .map(named: fields) }

    mutating func add(_ name: String, _ value: GenericValue) { fields.append((name, value)) }

    mutating func add(_ origin: Origin, tellsAll: Bool) {
      switch origin {
      case .daemon: add("by", .text("daemon"))
      case .internal(let action):
        add("by", .text("internal"))
        if tellsAll { add("name", .text(action.name)) }
        if let form = action.form { add(form.scope, form.action) }
      case .client(let action):
        add("by", .text("client"))
        // Who knows it can take the client's place, so it is told to those only who read the files.
        if tellsAll { add("client", .text(action.client.hexadecimal)) }
        if case .user(let user, _, let process) = action.identity {
          add("user", .unsigned(UInt64(user)))
          add("pid", .unsigned(UInt64(process)))
        }
        if let key = action.identity.key { add("key", .text(key)) }
        add("session", .unsigned(action.session))
        add("sequence", .unsigned(action.sequence))
        add(action.scope, action.action)
      case .session(let event):
        let (what, info) =
          switch event {
          case .joined(let info): ("joined", info)
          case .left(let info): ("left", info)
          }
        add("by", .text(what))
        add("session", .unsigned(info.id))
        add("name", .text(info.name))
        add("peer", .text(info.address))
      case .restored(let restoration):
        add("by", .text("restart"))
        add("wasStopped", .bool(restoration.wasStopped))
        let names = restoration.interrupted.map { GenericValue.text($0.name) }
        if tellsAll { add("interrupted", .array(names)) }
      }
    }

    /// An action, where it is short enough to be told.
    private mutating func add(_ scope: String, _ action: [UInt8]) {
      add("scope", .text(scope))
      guard action.count <= limits.actionBytes else {
        return add("actionBytes", .unsigned(UInt64(action.count)))
      }
      bytes += action.count
      do throws(CodecError) {
        add("action", try GenericValue(encoded: action))
      } catch {
        // It was taken, so it can be read where its types are known.
        add("actionBytes", .unsigned(UInt64(action.count)))
      }
    }
  }
}
