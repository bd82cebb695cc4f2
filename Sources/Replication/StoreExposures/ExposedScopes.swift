package import StoreProtocol
public import StoreState

/// A scope of a running daemon.
///
/// By whatever names clients call a scope, only one of these is followed; others of the same scope,
/// which are only sent to, do the same.
@MainActor
@usableFromInline
package final class RootScope {
  package let source: ErasedScope
  /// The scopes of its exposure, which live as long as the daemon's root.
  package unowned let exposed: ExposedScopes
  /// Its number among those that are followed; nil when nobody follows it.
  package fileprivate(set) var number: Int?
  /// The row whose scope it is; nil where there are none.
  fileprivate let row: ExposedRows.Row?

  fileprivate init(_ source: ErasedScope, of exposed: ExposedScopes, row: ExposedRows.Row? = nil) {
    self.source = source
    self.exposed = exposed
    self.row = row
  }

  /// The one that is followed of the same scope, which may be this one; nil when none is.
  package var followedTwin: RootScope? {
    if let row { row.followed() } else { number == nil ? nil : self }
  }
}

/// A scope, and the one name that the daemon has for it, whatever a client called it.
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
  /// The outputs that travel; nil when none do.
  package let outputs: ScopeOutputs?
  /// The scope itself; nil where there is one for each row.
  package private(set) var whole: RootScope?
  /// The scopes of rows, where there is one for each.
  package let rows: ExposedRows?
  private let hasAction: HasAction?
  private let encode: EncodeAction?
  /// How many of them are followed.
  package private(set) var followedCount = 0

  @usableFromInline
  typealias HasAction = (_ action: ErasedScope.Place) -> Bool

  @usableFromInline
  typealias EncodeAction = (_ action: ErasedScope.Place) throws(CodecError) -> [UInt8]?

  /// The only scope of an exposure that is not one of rows.
  ///
  /// - Parameters:
  ///   - schemas: What clients may know.
  ///   - outputs: The outputs that travel; nil when none do.
  ///   - whole: The scope.
  ///   - hasAction: Whether an action of the root belongs to the scope.
  ///   - encode: The scope's action that an action of the root is; nil where it is none, or where
  ///     its bytes lack what it carries.
  @usableFromInline
  init(
    _ schemas: ExposureSchemas,
    outputs: ScopeOutputs?,
    whole: ErasedScope,
    hasAction: @escaping HasAction,
    encode: @escaping EncodeAction,
  ) {
    description = schemas.description
    self.outputs = outputs
    rows = nil
    self.hasAction = hasAction
    self.encode = encode
    self.whole = RootScope(whole, of: self)
  }

  /// The scopes of rows.
  @usableFromInline
  init(_ schemas: ExposureSchemas, outputs: ScopeOutputs?, rows: ExposedRows) {
    description = schemas.description
    self.outputs = outputs
    self.rows = rows
    hasAction = nil
    encode = nil
  }

  /// The scope of a name, as ``ScopeDescription/match(_:)`` has taken it apart.
  ///
  /// - Parameters:
  ///   - id: The text of a row's id, in any spelling.
  ///   - root: Where the root is.
  /// - Returns: The scope, called by the id of the row that is there, or else by the one it has in
  ///   the text.
  /// - Throws: where the text is no row's id.
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

  /// Somebody follows a scope from now on, and knows it by a number.
  package func follow(_ scope: RootScope, as number: Int) {
    precondition(scope.followedTwin == nil, "\(description.pattern) is followed already")
    scope.number = number
    scope.row?.enter(scope)
    followedCount += 1
  }

  /// Nobody follows a scope any more.
  package func unfollow(_ scope: RootScope) {
    precondition(scope.number != nil, "\(description.pattern) is followed by nobody")
    scope.number = nil
    scope.row?.enter(nil)
    followedCount -= 1
  }

  /// Hands over the followed scopes that a step can have changed, each once.
  package func forEachChanged(
    from old: ErasedScope.Place,
    to new: ErasedScope.Place,
    _ body: (RootScope) -> Void,
  ) {
    if let whole {
      // Its delta looks at the same part, so there is no need to look twice.
      body(whole)
    } else {
      rows?.forEachChanged(old, new, body)
    }
  }

  /// The bytes by which a client could have sent an action of the root; nil where none could.
  package func clientForm(of action: ErasedScope.Place) -> [UInt8]? {
    guard let encode else { return nil }
    do throws(CodecError) {
      return try encode(action)
    } catch {
      // It is one that no client may send.
      return nil
    }
  }

  /// The followed scope that an action of the root belongs to.
  package func followedScope(of action: ErasedScope.Place) -> RootScope? {
    guard let whole, let hasAction else { return rows?.followed(action) }
    return whole.number != nil && hasAction(action) ? whole : nil
  }
}

extension [ExposedScopes] {
  /// The scope of a whole name, in any spelling; nil where nothing is exposed under it.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - root: Where the root is.
  /// - Returns: The scope; a failure where the name does not end in a row's id.
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
  /// A row, whether it is there or not.
  @usableFromInline
  struct Row {
    /// The text that stands for its id.
    let id: String
    let source: ErasedScope
    /// The scope of the row that is followed.
    let followed: () -> RootScope?
    /// Notes which scope of the row is followed.
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

  /// Finds the row whose id has a text, in any spelling.
  let find: (String, Place) throws(CodecError) -> Row
  /// Hands over the followed scopes of the rows that differ in two roots.
  let forEachChanged: (_ old: Place, _ new: Place, (RootScope) -> Void) -> Void
  /// Hands over the ids, as scopes' names have them, of all rows that differ in two roots.
  package let changedIDs: @Sendable (_ old: Place, _ new: Place, (String) -> Void) -> Void
  /// Hands over the encodings of the ids, from a row on, until told that it is enough; returns the
  /// row to go on with, nil at the end.
  package let encodedIDs: (_ place: Place, _ start: Int, ([UInt8]) -> Bool) -> Int?
  /// The followed scope of the row that an action is for.
  let followed: (_ action: Place) -> RootScope?

  @usableFromInline
  init(
    find: @escaping (String, Place) throws(CodecError) -> Row,
    forEachChanged: @escaping (Place, Place, (RootScope) -> Void) -> Void,
    changedIDs: @escaping @Sendable (Place, Place, (String) -> Void) -> Void,
    encodedIDs: @escaping (Place, Int, ([UInt8]) -> Bool) -> Int?,
    followed: @escaping (Place) -> RootScope?,
  ) {
    self.find = find
    self.forEachChanged = forEachChanged
    self.changedIDs = changedIDs
    self.encodedIDs = encodedIDs
    self.followed = followed
  }

  /// The id that a text in a scope's name stands for.
  @usableFromInline
  static func id<ID: WireValue>(
    _ text: String,
    _ document: SchemaDocument,
  ) throws(CodecError) -> ID {
    try ScopeDescription.id(text, document)
  }

  /// The text for an id: as the row has it that is there, for ids that are equal may differ in
  /// bytes.
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
      throw CodecError(.typeMismatch, "the id does not read what it wrote")
    }
    return text
  }

  /// Goes over the ids of an array from a position on.
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

  /// Finds the rows of an array that are not the same in two roots.
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
        // One that only has another place is the same.
        guard new[id: id].encodeDelta(from: old[id: id], to: &encoder),
          let text = ScopeDescription.text(of: id, ids)
        else { return }
        body(text)
      }
    }
  }
}

/// The rows of one exposure that somebody follows, by their ids.
@usableFromInline
final class FollowedRows<ID: Hashable> {
  @usableFromInline var scopes: [ID: RootScope] = [:]

  @usableFromInline
  init() {}
}
