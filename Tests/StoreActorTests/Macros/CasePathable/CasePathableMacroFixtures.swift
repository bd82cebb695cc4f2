public import StoreActor

/// An enum with each kind of case.
@CasePathable
@dynamicMemberLookup
enum Sample {
  case plain
  case single(Int)
  case labelled(count: Int)
  case several(first: String, Int, last: String?)
  case optional(String?)
  case closure(@Sendable () -> Int)
  case fallback(name: String = "x")
  case `default`
  case `class`(Int)
  case filter(Int)
  case map
  indirect case nested(Self)
  case list([Self])
  case first
  case second(Bool)
  #if DEBUG || !DEBUG
  case here(Int)
  #else
  case elsewhere(String)
  #endif
  @available(*, deprecated) case old(Int)
}

/// Cases with the names of members of the case paths' types: of `Case`, `AnyCasePath`,
/// `CasePathable` with the protocols that it extends, and `Sequence`, as lists of cases are
/// sequences.
@CasePathable
@dynamicMemberLookup
enum Called: Hashable, WireAction {
  case allCasePaths(Int)
  case allSatisfy(Int)
  case appending(Int)
  case callAsFunction(Int)
  case `case`(Int)
  case compactMap(Int)
  case contains(Int)
  case count(Int)
  case debugDescription(Int)
  case description(Int)
  case digest(Int)
  case drop(Int)
  case dropFirst(Int)
  case dropLast(Int)
  case elementsEqual(Int)
  case embed(Int)
  case embedValue(Int)
  case encode(Int)
  case encoded(Int)
  case enumerated(Int)
  case extract(Int)
  case extractValue(Int)
  case filter(Int)
  case first(Int)
  case flatMap(Int)
  case forEach(Int)
  case hash(Int)
  case hashValue(Int)
  case `init`(Int)
  case `is`(Int)
  case joined(Int)
  case lazy(Int)
  case lexicographicallyPrecedes(Int)
  case link(Int)
  case list(Int)
  case makeIterator(Int)
  case map(Int)
  case max(Int)
  case min(Int)
  case modify(Int)
  case name(Int)
  case never(Int)
  case prefix(Int)
  case reduce(Int)
  case replace(Int)
  case reversed(Int)
  case root(Int)
  case schema(Int)
  case shuffled(Int)
  case sorted(Int)
  case split(Int)
  case starts(Int)
  case `subscript`(Int)
  case suffix(Int)
  case underestimatedCount(Int)
  case value(Int)
  case withContiguousStorageIfAvailable(Int)
  case other
}

/// The same cases without values, so that each is also a static member.
@CasePathable
@dynamicMemberLookup
enum Bare: Hashable, WireAction {
  case allCasePaths
  case allSatisfy
  case appending
  case callAsFunction
  case `case`
  case compactMap
  case contains
  case count
  case debugDescription
  case description
  case digest
  case drop
  case dropFirst
  case dropLast
  case elementsEqual
  case embed
  case embedValue
  case encode
  case encoded
  case enumerated
  case extract
  case extractValue
  case filter
  case first
  case flatMap
  case forEach
  case hash
  case hashValue
  case `init`
  case `is`
  case joined
  case lazy
  case lexicographicallyPrecedes
  case link
  case list
  case makeIterator
  case map
  case max
  case min
  case modify
  case name
  case never
  case prefix
  case reduce
  case replace
  case reversed
  case root
  case schema
  case shuffled
  case sorted
  case split
  case starts
  case `subscript`
  case suffix
  case underestimatedCount
  case value
  case withContiguousStorageIfAvailable
}

/// Such cases in an optional, whose wrapped cases are reachable.
@CasePathable
enum Wrapping {
  case called(Called?)
  case bare(Bare?)
}

/// Generic parameters with names that the case paths' type also uses.
@CasePathable
enum Crate<Element, Root: Equatable> {
  case element(Element)
  case roots([Root], Iterator)
  case none

  struct Iterator {}
}

@CasePathable
enum Empty {}

@CasePathable
enum Lonely { case only }

/// Case paths of a public type are also public.
@CasePathable
public enum PublicSample: Sendable {
  case tapped(Int)
  case child(PublicChild)
}

/// A public child of an enum.
@CasePathable
public enum PublicChild: Sendable { case moved(to: Int) }

@CasePathable
package enum PackageSample { case tapped(Int) }

@CasePathable
private enum PrivateSample { case tapped(Int) }

/// A public namespace, extended below.
public enum Outer {}

extension Outer {
  /// A public enum in an extension.
  @CasePathable
  public enum Inner { case a(Int) }
}

extension Outer {
  /// An enum in a public extension.
  @CasePathable
  public enum Implicit { case a(Int) }
}

/// The macro does not replace written conformances.
@CasePathable
enum Conforming: CasePathable, CasePathIterable { case a }

func privateNames() -> [String] { PrivateSample._$caseNames }
