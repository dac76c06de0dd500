import type { TLocalizedValidationError } from 'typebox/error'

/** What the checker found, or what we made of it: that one of several properties must be there. */
export type Finding =
  | TLocalizedValidationError
  | { keyword: 'choice'; schemaPath: string; instancePath: string; params: { properties: string[] } }

/**
 * For a value that fits no branch of a union, the checker says what is wrong by every single one of them. This leaves
 * what helps: the kinds of value that are allowed, the properties of which one must be there, or what is wrong by the
 * branch that comes nearest.
 */
export function settleUnions(errors: readonly TLocalizedValidationError[]): Finding[] {
  let found: Finding[] = [...errors]
  // Inner unions come before the outer ones.
  for (const union of errors.filter(({ keyword }) => keyword === 'anyOf')) {
    const isInside = (finding: Finding) =>
      finding.schemaPath.startsWith(`${union.schemaPath}/anyOf/`) &&
      `${finding.instancePath}/`.startsWith(`${union.instancePath}/`)
    const branches = Map.groupBy(found.filter(isInside), ({ schemaPath }) => branchOf(union, schemaPath))
    const settled = settle(union, [...branches.values()])
    found = found.flatMap((finding) => (finding === union ? settled : isInside(finding) ? [] : [finding]))
  }
  return found
}

const branchOf = ({ schemaPath }: Finding, inside: string): string =>
  inside.slice(`${schemaPath}/anyOf/`.length).split('/', 1)[0] ?? ''

function settle(union: TLocalizedValidationError, branches: Finding[][]): Finding[] {
  const isHere = ({ instancePath }: Finding) => instancePath === union.instancePath
  const kinds = branches.map((branch) => branch.find((finding) => finding.keyword === 'type' && isHere(finding)))
  const near = branches.filter((_, index) => kinds[index] === undefined)
  if (near.length === 0) {
    const type = kinds.flatMap((kind) => (kind?.keyword === 'type' ? kind.params.type : []))
    const { schemaPath, instancePath, message } = union
    return [{ keyword: 'type', schemaPath, instancePath, message, params: { type: [...new Set(type)] } }]
  }
  const missing = near.map((branch) =>
    branch.flatMap((finding) =>
      finding.keyword === 'required' && isHere(finding) ? finding.params.requiredProperties : [],
    ),
  )
  const fewestFirst = near.toSorted((a, b) => a.length - b.length)
  const complete = fewestFirst.find((branch) => missing[near.indexOf(branch)]?.length === 0)
  if (complete || near.length === 1) return complete ?? fewestFirst[0] ?? []
  const { schemaPath, instancePath } = union
  return [{ keyword: 'choice', schemaPath, instancePath, params: { properties: [...new Set(missing.flat())] } }]
}
