package import StoreProtocol
public import StoreState

/// A scope of a running daemon.
///
/// Clients may use several names for a scope, but only one `RootScope` of it is followed. Others of
/// the same scope, which only receive actions, are equivalent.
@MainActor
@usableFromInline
package final class RootScope {
  package let source: ErasedScope
  /// The scopes of its exposure, which live as long as the daemon's root.
  package unowned let exposed: ExposedScopes
  /// Whether senders receive the reducer's replies.
  package let hasReplies: Bool
  /// Its number among the followed scopes; nil while it has no follower.
  ///
  /// It is computed, because reads of a stored property from another module are checked for
  /// overlapping accesses.
  package var number: Int? { followedNumber }
  fileprivate var followedNumber: Int?
  /// The row of the scope; nil if the exposure has no rows.
  fileprivate let row: ExposedRows.Row?

  fileprivate init(_ source: ErasedScope, of exposed: ExposedScopes, row: ExposedRows.Row? = nil) {
    self.source = source
    self.exposed = exposed
    hasReplies = exposed.replies != nil
    self.row = row
  }

  /// The followed `RootScope` of the same scope, if any; it may be this one.
  package var followedTwin: RootScope? {
    if let row { row.followed() } else { number == nil ? nil : self }
  }
}

/// A scope, and its one canonical name, independent of the client's spelling.
@MainActor
package struct ResolvedScope {
  /// Rights, handles, records and messages have this name; the client's spelling is not kept.
  package let name: String
  package let scope: RootScope

  package init(name: String, scope: RootScope) {
    self.name = name
    self.scope = scope
  }
}

/// The scopes of one exposure in a running daemon: one, or one for each row.
@MainActor
@usableFromInline
package final class ExposedScopes {
  package let description: ScopeDescription
  /// The published outputs, if any.
  package let outputs: ScopeOutputs?
  /// The replies that senders receive, if any.
  package let replies: ScopeOutputs?
  /// The scope itself; nil if each row is a scope.
  package var whole: RootScope? { single }
  private var single: RootScope?
  /// The scopes of rows, if each row is a scope.
  package let rows: ExposedRows?
  private let hasAction: HasAction?
  private let encode: EncodeAction?
  /// The number of followed scopes; computed, as ``RootScope/number`` is.
  package var followedCount: Int { followers }
  private var followers = 0

  @usableFromInline
  typealias HasAction = @Sendable (_ action: ErasedScope.Place) -> Bool

  @usableFromInline
  typealias EncodeAction = (_ action: ErasedScope.Place) throws(CodecError) -> [UInt8]?

  /// The scopes of an exposure without rows.
  ///
  /// - Parameters:
  ///   - schemas: The name and schemas that clients receive.
  ///   - outputs: The published outputs, if any.
  ///   - replies: The replies that senders receive, if any.
  ///   - whole: The scope.
  ///   - hasAction: Whether an action of the root belongs to the scope.
  ///   - encode: Encodes an action of the root as one of the scope; nil if it belongs to another
  ///     scope, or if the bytes lack a part of it.
  @usableFromInline
  init(
    _ schemas: ExposureSchemas,
    outputs: ScopeOutputs?,
    replies: ScopeOutputs?,
    whole: ErasedScope,
    hasAction: @escaping HasAction,
    encode: @escaping EncodeAction,
  ) {
    description = schemas.description
    self.outputs = outputs
    self.replies = replies
    rows = nil
    self.hasAction = hasAction
    self.encode = encode
    single = RootScope(whole, of: self)
  }

  /// The scopes of rows.
  @usableFromInline
  init(
    _ schemas: ExposureSchemas,
    outputs: ScopeOutputs?,
    replies: ScopeOutputs?,
    rows: ExposedRows,
  ) {
    description = schemas.description
    self.outputs = outputs
    self.replies = replies
    self.rows = rows
    hasAction = nil
    encode = nil
  }

  /// The scope of a name, whose parts ``ScopeDescription/match(_:)`` returned.
  ///
  /// - Parameters:
  ///   - id: The text of a row's id, in any spelling.
  ///   - root: The pointer to the root.
  /// - Returns: The scope, named by the id of the present row, or else by the text's canonical id.
  /// - Throws: if the text is not a row's id.
  func scope(id: String?, in root: ErasedScope.Place) throws(CodecError) -> ResolvedScope {
    if let whole { return ResolvedScope(name: description.name, scope: whole) }
    guard let row = try rows?.find(id ?? "", root) else {
      preconditionFailure("\(description.pattern) has no scopes")
    }
    return ResolvedScope(
      name: "\(description.name)/\(row.id)",
      scope: row.followed() ?? RootScope(row.source, of: self, row: row),
    )
  }

  /// Marks a scope as followed, with a number.
  package func follow(_ scope: RootScope, as number: Int) {
    precondition(scope.followedTwin == nil, "\(description.pattern) is followed already")
    scope.followedNumber = number
    scope.row?.enter(scope)
    followers += 1
  }

  /// Marks a scope as no longer followed.
  package func unfollow(_ scope: RootScope) {
    precondition(scope.number != nil, "\(description.pattern) is not followed")
    scope.followedNumber = nil
    scope.row?.enter(nil)
    followers -= 1
  }

  /// Passes each followed scope that a step can have changed to `body`, once.
  package func forEachChanged(
    from old: ErasedScope.Place,
    to new: ErasedScope.Place,
    _ body: (RootScope) -> Void,
  ) {
    if let whole {
      // Its delta compares the same part, so a comparison here would be redundant.
      body(whole)
    } else {
      rows?.forEachChanged(old, new, body)
    }
  }

  /// The bytes by which a client could have sent an action of the root; nil if no client could.
  package func clientForm(of action: ErasedScope.Place) -> [UInt8]? {
    guard let encode else { return nil }
    do throws(CodecError) {
      return try encode(action)
    } catch {
      // No client may send this action.
      return nil
    }
  }

  /// Returns the name of the scope that an action of the root belongs to, or nil; on any thread.
  package var scopeName: @Sendable (_ action: ErasedScope.Place) -> String? {
    let name = description.name
    if let rows {
      let rowID = rows.id
      return { action in rowID(action).map { "\(name)/\($0)" } }
    }
    let hasAction = hasAction
    return { action in hasAction?(action) == true ? name : nil }
  }

  /// The followed scope that an action of the root belongs to.
  package func followedScope(of action: ErasedScope.Place) -> RootScope? {
    guard let whole, let hasAction else { return rows?.followed(action) }
    return whole.number != nil && hasAction(action) ? whole : nil
  }
}

extension [ExposedScopes] {
  /// The scope of a whole name, in any spelling; nil if no exposure has the name.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - root: The pointer to the root.
  /// - Returns: The scope; a failure if the name does not end in a row's id.
  @MainActor
  package func scope(
    called name: String,
    in root: ErasedScope.Place,
  ) -> Result<ResolvedScope, CodecError>? {
    for exposed in self {
      guard let id = exposed.description.match(name) else { continue }
      do throws(CodecError) {
        return .success(try exposed.scope(id: id, in: root))
      } catch {
        return .failure(error)
      }
    }
    return nil
  }
}

/// Finds the scopes of rows, without the type of their ids.
@usableFromInline
package struct ExposedRows {
  /// A row, present or absent.
  @usableFromInline
  struct Row {
    /// The text of its id in scopes' names.
    let id: String
    let source: ErasedScope
    /// The scope of the row that is followed.
    let followed: () -> RootScope?
    /// Sets the followed scope of the row.
    let enter: (RootScope?) -> Void

    @usableFromInline
    init(
      id: String,
      source: ErasedScope,
      followed: @escaping () -> RootScope?,
      enter: @escaping (RootScope?) -> Void,
    ) {
      self.id = id
      self.source = source
      self.followed = followed
      self.enter = enter
    }
  }

  @usableFromInline
  package typealias Place = ErasedScope.Place

  /// Finds the row for the text of an id, in any spelling.
  let find: (String, Place) throws(CodecError) -> Row
  /// Passes the followed scopes of the rows that differ in two roots to the closure.
  let forEachChanged: (_ old: Place, _ new: Place, (RootScope) -> Void) -> Void
  /// Passes the ids, as in scopes' names, of all rows that differ in two roots to the closure.
  package let changedIDs: @Sendable (_ old: Place, _ new: Place, (String) -> Void) -> Void
  /// Passes the encodings of the ids, from a row on, until the closure returns false.
  ///
  /// Returns the row to continue with, or nil at the end.
  package let encodedIDs: (_ place: Place, _ start: Int, ([UInt8]) -> Bool) -> Int?
  /// The followed scope of an action's row.
  let followed: (_ action: Place) -> RootScope?
  /// The id of an action's row, as in scopes' names.
  let id: @Sendable (_ action: Place) -> String?

  @usableFromInline
  init(
    find: @escaping (String, Place) throws(CodecError) -> Row,
    forEachChanged: @escaping (Place, Place, (RootScope) -> Void) -> Void,
    changedIDs: @escaping @Sendable (Place, Place, (String) -> Void) -> Void,
    encodedIDs: @escaping (Place, Int, ([UInt8]) -> Bool) -> Int?,
    followed: @escaping (Place) -> RootScope?,
    id: @escaping @Sendable (Place) -> String?,
  ) {
    self.id = id
    self.find = find
    self.forEachChanged = forEachChanged
    self.changedIDs = changedIDs
    self.encodedIDs = encodedIDs
    self.followed = followed
  }

  /// The id for a text in a scope's name.
  @usableFromInline
  static func id<ID: WireValue>(
    _ text: String,
    _ document: SchemaDocument,
  ) throws(CodecError) -> ID {
    try ScopeDescription.id(text, document)
  }

  /// The text of an id, in the spelling of the present row: equal ids may differ in their bytes.
  @usableFromInline
  static func text<Root: Sendable, ID: Hashable & WireValue, Element: ReplicatedState>(
    of id: ID,
    _ part: StoredPart<Root, IdentifiedArray<ID, Element>>,
    at root: Place,
    _ document: SchemaDocument,
  ) throws(CodecError) -> String {
    let rows = part.read(at: root.assumingMemoryBound(to: Root.self))
    let stored = rows.index(id: id).map { rows.ids[$0] } ?? id
    guard let text = ScopeDescription.text(of: stored, document) else {
      throw CodecError(.typeMismatch, "the id cannot be decoded from its encoding")
    }
    return text
  }

  /// The text of an action's id in scopes' names; nil if it has none.
  @usableFromInline
  static func text<ID: WireValue>(of id: ID, _ document: SchemaDocument) -> String? {
    ScopeDescription.text(of: id, document)
  }

  /// Iterates over the ids of an array from a position on.
  @inlinable
  static func encodedIDs<Root: Sendable, ID: Hashable & WireValue, Element: ReplicatedState>(
    of part: StoredPart<Root, IdentifiedArray<ID, Element>>
  ) -> (Place, Int, ([UInt8]) -> Bool) -> Int? {
    { place, start, body in
      let rows = part.read(at: place.assumingMemoryBound(to: Root.self))
      guard start >= 0, start < rows.count else { return nil }
      for position in start..<rows.count {
        var encoder = CBOREncoder()
        rows.ids[position].encode(to: &encoder)
        if !body(encoder.bytes) { return position + 1 < rows.count ? position + 1 : nil }
      }
      return nil
    }
  }

  /// Finds the rows of an array that differ in two roots.
  @usableFromInline
  static func changedIDs<Root: Sendable, ID: Hashable & WireValue, Element: ReplicatedState>(
    of part: StoredPart<Root, IdentifiedArray<ID, Element>>,
    _ ids: SchemaDocument,
  ) -> @Sendable (Place, Place, (String) -> Void) -> Void {
    { old, new, body in
      let old = part.read(at: old.assumingMemoryBound(to: Root.self))
      let new = part.read(at: new.assumingMemoryBound(to: Root.self))
      new.forEachChangedID(since: old) { id in
        var encoder = CBOREncoder()
        // A row that only moved is equal.
        guard new[id: id].encodeDelta(from: old[id: id], to: &encoder),
          let text = ScopeDescription.text(of: id, ids)
        else { return }
        body(text)
      }
    }
  }
}

/// The followed rows of one exposure, by their ids.
@usableFromInline
final class FollowedRows<ID: Hashable> {
  @usableFromInline var scopes: [ID: RootScope] = [:]

  @usableFromInline
  init() {}
}
