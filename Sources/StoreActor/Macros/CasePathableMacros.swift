/// Creates key paths to the cases of an enum: `\.child.tapped`, `\User.Cases.home`.
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
/// Together with `@dynamicMemberLookup`, each case is also a property: `action.tapped` is the
/// case's value, or nil. `@Reducer` applies it to a feature's `Action`, and to its `State` if that
/// is an enum.
///
/// A case with several values has them as a tuple, with their labels. Cases need unique names: two
/// cases that differ only by their labels have no key paths. All other names are allowed, except
/// those of the generated types: `AllCasePaths`, `Cases`.
///
/// If the declaration names `WireAction`, the wire form of its cases is generated too, except for
/// those marked `@ReplicationIgnored`.
// The formatter would add a comma after the last name, which the compiler rejects here.
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
