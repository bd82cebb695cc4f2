public import StoreActor
package import StoreProtocol
public import StoreState

/// A part of the root that clients may see and send actions to: a named scope.
///
/// An exposure has a name, and the two key paths that a ``Scope`` takes, one into the state and one
/// into the actions:
///
/// ```swift
/// let exposures: [Expose<App.State, App.Action>] = [
///   Expose("counter", state: \.counter, action: \.counter),
///   Expose("todos", state: \.todos, action: \.todos),
///   Expose(each: "todos/items", state: \.todos.items, action: \.todos.items),
/// ]
/// ```
///
/// Unexposed parts do not exist for clients: they never receive a byte of them.
///
/// An exposure with a type of outputs also publishes those: each follower of the scope receives the
/// outputs of its actions once, after the state that they belong to.
///
/// ```swift
/// Expose("game", state: \.game, action: \.game, output: Game.Output.self)
/// ```
///
/// An exposure with a type of replies sends a reducer's reply of this type to the client that has
/// sent the action; see ``StoreTask/reply(_:)``.
///
/// ```swift
/// Expose("todos", state: \.todos, action: \.todos, replies: UUID.self)
/// ```
public struct Expose<Root: Sendable, RootAction>: Sendable {
  /// The scope's name; for rows the part before `/<id>`.
  public var name: String { description.name }

  package let description: ScopeDescription
  /// Creates the scopes of a daemon at its start.
  package let scopes: @MainActor @Sendable () -> ExposedScopes

  /// Exposes a part of the state that is always there.
  ///
  /// - Parameters:
  ///   - name: The scope's name, unique among the exposures: words of ASCII letters, digits, `-`,
  ///     `_` and `.`, with `/` between them. A daemon with another name does not start.
  ///   - state: The key path of its state in the root's.
  ///   - action: The key path of its actions in the root's.
  ///   - output: The type of its published outputs; by default, no outputs are published.
  ///   - replies: The type of the replies that senders receive; by default, they receive none.
  @inlinable
  public init<
    State: ReplicatedState,
    Action: WireAction,
    Output: WirePayload,
    Reply: WirePayload,
  >(
    _ name: String,
    state: any KeyPath<Root, State> & Sendable,
    action: any CaseKeyPath<RootAction, Action> & Sendable,
    output: Output.Type = Never.self,
    replies: Reply.Type = Never.self,
  ) {
    let path = AnyCasePath(action)
    let form = ActionForm<Action>()
    self.init(
      name,
      isOptional: false,
      outputs: ScopeOutputs(output),
      replies: ScopeOutputs(replies),
      StoredPart(state),
      project: { $0 },
      delta: { $1.encodeDelta(fromPresent: $0, to: &$2) },
      embed: { path.embed($0) },
      hasAction: { path.extract(from: $0) != nil },
      encode: { (action) throws(CodecError) in
        guard let action = path.extract(from: action) else { return nil }
        return try form.encode(action)
      },
    )
  }

  /// Exposes an optional part of the state: the scope is absent while it is nil.
  ///
  /// - Parameters:
  ///   - name: The scope's name, unique among the exposures.
  ///   - state: The key path of its state in the root's.
  ///   - action: The key path of its actions in the root's.
  ///   - output: The type of its published outputs; by default, no outputs are published.
  ///   - replies: The type of the replies that senders receive; by default, they receive none.
  @inlinable
  public init<
    State: ReplicatedState,
    Action: WireAction,
    Output: WirePayload,
    Reply: WirePayload,
  >(
    _ name: String,
    state: any KeyPath<Root, State?> & Sendable,
    action: any CaseKeyPath<RootAction, Action> & Sendable,
    output: Output.Type = Never.self,
    replies: Reply.Type = Never.self,
  ) {
    let path = AnyCasePath(action)
    let form = ActionForm<Action>()
    self.init(
      name,
      isOptional: true,
      outputs: ScopeOutputs(output),
      replies: ScopeOutputs(replies),
      StoredPart(state),
      project: { $0 },
      delta: { $1.encodeDelta(from: $0, to: &$2) },
      embed: { path.embed($0) },
      hasAction: { path.extract(from: $0) != nil },
      encode: { (action) throws(CodecError) in
        guard let action = path.extract(from: action) else { return nil }
        return try form.encode(action)
      },
    )
  }

  /// Exposes a part of the state read-only.
  @inlinable
  public init<State: ReplicatedState>(_ name: String, state: any KeyPath<Root, State> & Sendable) {
    self.init(
      name,
      isOptional: false,
      outputs: nil,
      replies: nil,
      StoredPart(state),
      project: { $0 },
      delta: { $1.encodeDelta(fromPresent: $0, to: &$2) },
      embed: Self.noAction,
      hasAction: { _ in false },
      encode: { _ in nil },
    )
  }

  /// Pulls back an action of a scope without actions; it cannot be called.
  @usableFromInline
  @Sendable static func noAction(_ never: Never) -> RootAction {}

  @inlinable
  init<Whole: Sendable, State: ReplicatedState, Action: WireAction>(
    _ name: String,
    isOptional: Bool,
    outputs: ScopeOutputs?,
    replies: ScopeOutputs?,
    _ part: StoredPart<Root, Whole>,
    project: @escaping @Sendable (Whole) -> State?,
    delta: @escaping @Sendable (Whole, Whole, inout CBOREncoder) -> Bool,
    embed: @escaping @Sendable (Action) -> RootAction,
    hasAction: @escaping @Sendable (RootAction) -> Bool,
    encode: @escaping @Sendable (RootAction) throws(CodecError) -> [UInt8]?,
  ) {
    let schemas = ExposureSchemas(name, State.self, Action.self, outputs, replies)
    let source = ErasedScope(
      isOptional: isOptional,
      part: part,
      project: project,
      delta: delta,
      embed: embed,
    )
    self.init(schemas) {
      ExposedScopes(
        schemas,
        outputs: outputs,
        replies: replies,
        whole: source,
        hasAction: { hasAction($0.assumingMemoryBound(to: RootAction.self).pointee) },
        encode: { (place) throws(CodecError) in
          try encode(place.assumingMemoryBound(to: RootAction.self).pointee)
        },
      )
    }
  }

  /// Exposes each row of an identified array as a scope of its own, named `<name>/<id>`.
  ///
  /// A scope whose id is not in the array is absent.
  ///
  /// - Parameters:
  ///   - name: The part of the scopes' names before `/<id>`.
  ///   - state: The key path of the array in the root's state.
  ///   - action: The key path of the rows' actions in the root's.
  ///   - output: The type of the rows' published outputs; by default, no outputs are published.
  ///   - replies: The type of the replies that senders receive; by default, they receive none.
  @inlinable
  public init<
    ID: Hashable & WireValue,
    Element: ReplicatedState,
    Action: WireAction,
    Output: WirePayload,
    Reply: WirePayload,
  >(
    each name: String,
    state: any KeyPath<Root, IdentifiedArray<ID, Element>> & Sendable,
    action: any CaseKeyPath<RootAction, IdentifiedAction<ID, Action>> & Sendable,
    output: Output.Type = Never.self,
    replies: Reply.Type = Never.self,
  ) {
    let path = AnyCasePath(action)
    let part = StoredPart(state)
    let ids = SchemaRegistry.document(for: ID.self)
    let outputs = ScopeOutputs(output)
    let replies = ScopeOutputs(replies)
    let schemas = ExposureSchemas(name, Element.self, Action.self, id: ids, outputs, replies)
    let rowID: @Sendable (ErasedScope.Place) -> ID? = { action in
      let action = action.assumingMemoryBound(to: RootAction.self)
      guard case .element(let id, _)? = path.extract(from: action.pointee) else { return nil }
      return id
    }
    self.init(schemas) {
      let followed = FollowedRows<ID>()
      let rows = ExposedRows(
        find: { (text, root) throws(CodecError) in
          let id: ID = try ExposedRows.id(text, ids)
          return ExposedRows.Row(
            id: try ExposedRows.text(of: id, part, at: root, ids),
            source: ErasedScope(
              isOptional: true,
              part: part,
              project: { (rows: IdentifiedArray<ID, Element>) in rows[id: id] },
              delta: { $1[id: id].encodeDelta(from: $0[id: id], to: &$2) },
              embed: { (action: Action) in path.embed(.element(id: id, action: action)) },
            ),
            followed: { followed.scopes[id] },
            enter: { followed.scopes[id] = $0 },
          )
        },
        forEachChanged: { old, new, body in
          let old = old.assumingMemoryBound(to: Root.self)
          let new = new.assumingMemoryBound(to: Root.self)
          if part.isIdentical(at: old, new) { return }
          part.read(at: new).forEachChangedID(since: part.read(at: old)) { id in
            if let scope = followed.scopes[id] { body(scope) }
          }
        },
        changedIDs: ExposedRows.changedIDs(of: part, ids),
        encodedIDs: ExposedRows.encodedIDs(of: part),
        followed: { rowID($0).flatMap { followed.scopes[$0] } },
        id: { action in rowID(action).flatMap { ExposedRows.text(of: $0, ids) } },
      )
      return ExposedScopes(schemas, outputs: outputs, replies: replies, rows: rows)
    }
  }

  @usableFromInline
  init(_ schemas: ExposureSchemas, scopes: @escaping @MainActor @Sendable () -> ExposedScopes) {
    description = schemas.description
    self.scopes = scopes
  }
}

extension Collection {
  /// The first repeated name, in its readable form.
  ///
  /// A list and its rows may share a name.
  package func firstRepeatedName<Root, RootAction>() -> String?
  where Element == Expose<Root, RootAction> {
    var names: Set<String> = []
    return first { !names.insert($0.description.pattern).inserted }?.description.pattern
  }

  /// The first name that is not valid for a scope.
  ///
  /// People type names in shells, in lines of grants and on screens, so they are words of ASCII
  /// letters, digits, `-`, `_` and `.`, with `/` between them.
  package func firstImpossibleName<Root, RootAction>() -> String?
  where Element == Expose<Root, RootAction> {
    first { !ScopeDescription.isName($0.name) }?.name
  }
}
