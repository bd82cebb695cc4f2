public import StoreActor

/// One of each kind of case.
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

/// Cases that are called like members of the types that case paths are made of.
@CasePathable
@dynamicMemberLookup
enum Called: Equatable {
  case allCasePaths(Int)
  case appending(Int)
  case callAsFunction(Int)
  case `case`(Int)
  case contains(Int)
  case count(Int)
  case debugDescription(Int)
  case description(Int)
  case embed(Int)
  case extract(Int)
  case hash(Int)
  case hashValue(Int)
  case `init`(Int)
  case `is`(Int)
  case link(Int)
  case modify(Int)
  case name(Int)
  case root(Int)
  case underestimatedCount(Int)
  case value(Int)
  case other
}

/// Names that the type of the case paths has of its own.
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

/// Case paths of a public type are public too.
@CasePathable
public enum PublicSample: Sendable {
  case tapped(Int)
  case child(PublicChild)
}

/// A public type.
@CasePathable
public enum PublicChild: Sendable { case moved(to: Int) }

@CasePathable
package enum PackageSample { case tapped(Int) }

@CasePathable
private enum PrivateSample { case tapped(Int) }

/// A public type.
public enum Outer {}

extension Outer {
  /// A public type.
  @CasePathable
  public enum Inner { case a(Int) }
}

extension Outer {
  /// A public type.
  @CasePathable
  public enum Implicit { case a(Int) }
}

/// Written conformances are left alone.
@CasePathable
enum Conforming: CasePathable, CasePathIterable { case a }

func privateNames() -> [String] { PrivateSample._$caseNames }
