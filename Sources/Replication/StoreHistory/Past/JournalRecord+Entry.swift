import GenericState
import StoreActor
import StoreProtocol
import StoreState

extension JournalRecord {
  /// Checks that the action's bytes have the form of an action, whose types are not needed.
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

  /// Whether the client caused it; true if no client is requested.
  func isOf(_ client: Identifier?) -> Bool {
    guard let client else { return true }
    if case .client(let action) = origin { return action.client == client }
    return false
  }

  /// The log's entry for the record (`docs/PROTOCOL.md` §8.3).
  ///
  /// - Parameters:
  ///   - changed: The names of the changed scopes; nil if they are unknown.
  ///   - limits: The limits of an entry.
  ///   - telling: The disclosure that the reader may receive.
  /// - Returns: A map, and its approximate size in bytes; nil if nothing of it may be disclosed.
  func entry(
    changed: [String]?,
    _ limits: PastLimits,
    _ telling: PastTelling,
  ) -> (value: GenericValue, bytes: Int)? {
    switch telling {
    case .all: return wholeEntry(changed: changed, limits)
    case .causes:
      return entry(changed: changed, limits) { addCauses(to: &$0, withClients: false) }
    case .seen(let actions):
      let action = actions.action(of: self)
      guard action != nil || changed?.isEmpty == false else { return nil }
      return entry(changed: changed, limits) { if let action { $0.add(action, origin) } }
    }
  }

  /// The entry with everything, for readers of the files.
  func wholeEntry(
    changed: [String]?,
    _ limits: PastLimits,
  ) -> (value: GenericValue, bytes: Int) {
    entry(changed: changed, limits) { addCauses(to: &$0, withClients: true) }
  }

  private func entry(
    changed: [String]?,
    _ limits: PastLimits,
    addingCauses addCauses: (inout Entry) -> Void,
  ) -> (value: GenericValue, bytes: Int) {
    var entry = Entry(limits: limits)
    entry.add("revision", .unsigned(revision))
    entry.add("time", .unsigned(wallMilliseconds))
    addCauses(&entry)
    if let changed { entry.add("changed", .array(changed.map { .text($0) })) }
    return (entry.value, entry.bytes)
  }

  /// Adds everything but the changes.
  ///
  /// Clients' ids are added only if `withClients` is true.
  private func addCauses(to entry: inout Entry, withClients: Bool) {
    entry.add(origin, withClients: withClients)
    if !details.departed.isEmpty { entry.add(departed: details.departed) }
    entry.addRefusals(of: details, withClients: withClients)
    if !details.followed.isEmpty {
      entry.add("then", .array(details.followed.map { .text($0) }))
    }
    if let fired = details.fired {
      entry.add("schedule", .unsigned(fired.number))
      entry.add("due", .unsigned(fired.due.wallMilliseconds))
    }
    if let reply = details.reply?.value { entry.add("reply", item: reply.bytes) }
    if let microseconds = details.microseconds { entry.add("us", .unsigned(microseconds)) }
    entry.add("bytes", .unsigned(UInt64(delta?.count ?? 0)))
    if !details.began.isEmpty {
      entry.add("began", .array(details.began.map { .text($0.effect.name) }))
    }
    if !details.ended.isEmpty { entry.add("ended", .unsigned(UInt64(details.ended.count))) }
    if withClients, !details.forgotten.isEmpty {
      entry.add("forgot", .array(details.forgotten.map { .text($0.hexadecimal) }))
    }
  }

  private struct Entry {
    let limits: PastLimits
    private var fields: [(String, GenericValue)] = []
    private(set) var bytes = 64

    init(limits: PastLimits) { self.limits = limits }

    var value: GenericValue { .map(named: fields) }

    mutating func add(_ name: String, _ value: GenericValue) { fields.append((name, value)) }

    /// Adds an action of a scope that the reader may see.
    mutating func add(_ action: SeenActions.Seen, _ origin: Origin) {
      switch origin {
      case .client: add("by", .text("client"))
      case .internal(let internalAction):
        add("by", .text("internal"))
        if let cause = internalAction.cause { add("cause", .unsigned(cause.revision)) }
      case .daemon, .session, .restored: break
      }
      if let scope = action.scope { add("scope", .text(scope)) }
      if let name = action.name { add("name", .text(name)) }
    }

    mutating func add(_ origin: Origin, withClients: Bool) {
      switch origin {
      case .daemon: add("by", .text("daemon"))
      case .internal(let action):
        add("by", .text("internal"))
        add("name", .text(action.name))
        if let cause = action.cause {
          add("cause", .unsigned(cause.revision))
          if let name = cause.name { add("effect", .text(name)) }
        }
        if let form = action.form {
          if let scope = form.scope { add("scope", .text(scope)) }
          add("action", item: form.action)
        }
      case .client(let action):
        add("by", .text("client"))
        // Its holder could impersonate the client, so only readers of the files receive the id.
        if withClients { add("client", .text(action.client.hexadecimal)) }
        if case .user(let user, _, let process) = action.identity {
          add("user", .unsigned(UInt64(user)))
          add("pid", .unsigned(UInt64(process)))
        }
        if let key = action.identity.key { add("key", .text(key)) }
        add("session", .unsigned(action.session))
        if let name = action.name { add("sessionName", .text(name)) }
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
        add("by", .text(restoration.isRestart ? "restart" : "start"))
        guard restoration.isRestart else { return }
        add("wasStopped", .bool(restoration.wasStopped))
        let names = restoration.interrupted.map { GenericValue.text($0.name) }
        add("interrupted", .array(names))
      }
    }

    /// Adds the sessions that left with the daemon before.
    mutating func add(departed sessions: [SessionInfo]) {
      let listed = sessions.prefix(Self.mostSessions).map { info in
        bytes += 64 + info.name.utf8.count + info.address.utf8.count
        return GenericValue.map(named: [
          ("session", .unsigned(info.id)), ("name", .text(info.name)),
          ("peer", .text(info.address)),
        ])
      }
      add("left", .array(listed))
      let more = sessions.count - listed.count
      if more > 0 { add("leftMore", .unsigned(UInt64(more))) }
    }

    /// The sessions that an entry lists.
    private static let mostSessions = 256

    /// Adds the actions that were refused before the revision.
    mutating func addRefusals(of details: Details, withClients: Bool) {
      if !details.refused.isEmpty {
        let entries = details.refused.map { refused in
          var entry = Entry(limits: limits)
          if withClients { entry.add("client", .text(refused.client.hexadecimal)) }
          entry.add("session", .unsigned(refused.session))
          entry.add("sequence", .unsigned(refused.sequence))
          if let action = refused.action {
            entry.add(refused.scope, action)
          } else {
            entry.add("scope", .text(refused.scope))
          }
          if refused.failure.code != Outcome.refused {
            entry.add("outcome", .text(refused.failure.code))
          }
          if let code = refused.failure.details?.code { entry.add("code", .text(code)) }
          entry.add("reason", .text(refused.failure.message))
          bytes += entry.bytes + refused.failure.message.utf8.count
          return entry.value
        }
        add("refused", .array(entries))
      }
      if details.refusedMore > 0 { add("refusedMore", .unsigned(details.refusedMore)) }
    }

    /// Adds an action with its scope.
    private mutating func add(_ scope: String, _ action: [UInt8]) {
      add("scope", .text(scope))
      add("action", item: action)
    }

    /// Adds an item, or only the number of its bytes if it is too long or too deep.
    mutating func add(_ name: String, item: [UInt8]) {
      guard item.count <= limits.actionBytes else {
        return add("\(name)Bytes", .unsigned(UInt64(item.count)))
      }
      bytes += item.count
      do throws(CodecError) {
        var decoder = CBORDecoder(item)
        decoder.surrounding = CBOR.maximumDepth - limits.actionLevels
        let value = try GenericValue(from: &decoder)
        try decoder.finish()
        add(name, value)
      } catch {
        // It is too deep, or a program with its types can read it.
        add("\(name)Bytes", .unsigned(UInt64(item.count)))
      }
    }
  }
}
