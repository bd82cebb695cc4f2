/// Makes the cases of an enum reachable by key paths: `\.child.tapped`, `\User.Cases.home`.
///
/// ```swift
/// @CasePathable
/// enum Action {
///   case tapped(Int)
///   case child(Child.Action)
/// }
/// …
/// let number = Action.tapped(1)[case: \.tapped]  // 1
/// let isChild = Action.tapped(1).is(\.child)  // false
/// ```
///
/// Written beside `@dynamicMemberLookup`, it makes each case a property as well:
/// `action.tapped` is the case's value, or nil. `@Reducer` applies it to a feature's `Action`, and
/// to its `State` where that is an enum.
///
/// A case with several values has them as a tuple, with their labels. Cases need names of their
/// own: two cases that differ by their labels alone have no key paths. Otherwise a case may be
/// called as it likes, but not like a type that each such enum has: `AllCasePaths`, `Cases`.
///
/// Where the declaration names `WireAction`, the form in which its cases travel is written too, of
/// all cases but those marked `@ReplicationIgnored`.
// The formatter would put a comma behind the last name, which the compiler refuses here.
// swift-format-ignore
@attached(extension, conformances: CasePathable, CasePathIterable)
@attached(
  member,
  names: named(AllCasePaths), named(_$Element), named(_$Iterator),
  named(_$Root), named(schema), named(encode), named(init), named(applyDelta), named(applying),
  named(delta), named(encodeDelta), named(encoded), named(hash), named(`is`), named(modify)
)
public macro CasePathable() =
  #externalMacro(module: "StoreActorMacros", type: "CasePathableMacro")
