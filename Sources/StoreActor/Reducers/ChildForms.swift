public import StoreState

// `ifLet` and `forEach` take a child in several forms: optional or presented, in a list or on a
// stack. Overloads for them would be tried in all combinations along a chain of operators, since
// the compiler knows the feature's types only at the end of the chain: seven operators took it
// seconds, and a slip among them an error that named no place. So each operator is one function of
// a state and an action whose forms must be the same.

/// The part of a state that one child may be in: an optional or a ``PresentationState``.
public protocol _ChildSlot<_ChildState> {
  /// The child's state.
  associatedtype _ChildState

  /// The form of the slot, which the child's action has to have too.
  associatedtype _ChildForm
}

/// The part of a state that many children are in: an `IdentifiedArray` or a ``StackState``.
public protocol _ChildElements<_ChildState> {
  /// The state of one child.
  associatedtype _ChildState

  /// The form of the collection, which the children's action has to have too.
  associatedtype _ElementsForm
}

/// An action that is one of many children's: an ``IdentifiedAction`` or a ``StackAction``.
public protocol _ChildElementsAction<_ElementAction> {
  /// The action of one child.
  associatedtype _ElementAction

  /// The type of the children's ids.
  associatedtype _ElementID: Hashable & Sendable

  /// The form of the action, which the children's state has to have too.
  associatedtype _ElementsForm
}

/// The form of a child that is optional, and whose actions stand for themselves.
public enum _OptionalForm {}

/// The form of a child that is presented.
public enum _PresentationForm {}

/// The form of children in a list.
public enum _ListForm<ID> {}

/// The form of children on a stack.
public enum _StackForm<State> {}

extension Optional: _ChildSlot {
  /// The child's state.
  public typealias _ChildState = Wrapped

  /// The form of the slot.
  public typealias _ChildForm = _OptionalForm
}

extension PresentationState: _ChildSlot {
  /// The child's state.
  public typealias _ChildState = State

  /// The form of the slot.
  public typealias _ChildForm = _PresentationForm
}

extension PresentationAction {
  /// The action of the child.
  public typealias _ChildAction = Action

  /// The form of the action.
  public typealias _ChildForm = _PresentationForm
}

extension IdentifiedArray: _ChildElements {
  /// The state of one child.
  public typealias _ChildState = Element

  /// The form of the collection.
  public typealias _ElementsForm = _ListForm<ID>
}

extension IdentifiedAction: _ChildElementsAction {
  /// The action of one child.
  public typealias _ElementAction = Action

  /// The type of the children's ids.
  public typealias _ElementID = ID

  /// The form of the action.
  public typealias _ElementsForm = _ListForm<ID>
}

extension StackState: _ChildElements {
  /// The state of one child.
  public typealias _ChildState = Element

  /// The form of the collection.
  public typealias _ElementsForm = _StackForm<Element>
}

extension StackAction: _ChildElementsAction {
  /// The action of one child.
  public typealias _ElementAction = Action

  /// The type of the children's ids.
  public typealias _ElementID = StackElementID

  /// The form of the action.
  public typealias _ElementsForm = _StackForm<State>
}

/// A state that knows the feature that runs on it, so that operators need not be told: that of a
/// `@Reducer enum`, and alerts.
public protocol _SelfReducingState {
  /// The feature's action.
  associatedtype _OwnAction

  /// The feature.
  static var _ownReducer: Reduce<Self, _OwnAction> { get }
}

extension CaseReducerState {
  /// The feature whose turn it is.
  public static var _ownReducer: Reduce<Self, StateReducer.Action> {
    StateReducer.body._prepared()
  }
}

extension _EphemeralState {
  /// Nothing has to be done but to make it nil, which the operators do.
  public static var _ownReducer: Reduce<Self, Action> {
    EmptyReducer()._prepared()
  }
}
