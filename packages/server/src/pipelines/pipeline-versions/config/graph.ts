import { unknown } from '@sluice/expressions'
import type { DraftStep } from './draft.ts'
import { needsOf } from './steps.ts'

/** Returns duplicate ids, unknown needs, and cycles. */
export function graphFaults(steps: DraftStep[]): string[] {
  return [...repeated(steps), ...unknownNeeds(steps), ...circles(steps)]
}

/** Returns an error for each duplicate id. */
export function repeated(all: { place: string; id: string }[]): string[] {
  const seen = new Set<string>()
  return all.flatMap(({ place, id }) => {
    const isRepeated = id !== '' && seen.has(id)
    seen.add(id)
    return isRepeated ? [`${place}.id: expected another id, there is a ${id} before`] : []
  })
}

function unknownNeeds(steps: DraftStep[]): string[] {
  const ids = steps.map(({ id }) => id).filter(Boolean)
  return steps.flatMap(({ place, id: own, needs = [] }) => {
    const others = ids.filter((id) => id !== own)
    return needs.flatMap((need, index) =>
      need === '' || ids.includes(need)
        ? []
        : [`${place}.needs[${index}]: ${unknown(`unknown step ${need}`, need, others)}`],
    )
  })
}

/** Returns one error for each need that closes a cycle, with the cycle. */
function circles(steps: DraftStep[]): string[] {
  // The first one of duplicate ids applies; a step without an id cannot be needed.
  const indexes = new Map(steps.map(({ id }, index) => [id, index] as const).reverse())
  indexes.delete('')
  const done = new Set<number>()
  const way: number[] = []
  const faults: string[] = []
  for (const index of steps.keys()) visit(index)
  return faults

  function visit(index: number): void {
    if (done.has(index)) return
    way.push(index)
    for (const [nth, need] of needsOf(steps, index).entries()) {
      const next = indexes.get(need)
      if (next === undefined) continue
      const begin = way.indexOf(next)
      if (begin === -1) visit(next)
      else faults.push(circle(way.slice(begin), nth))
    }
    way.pop()
    done.add(index)
  }

  function circle(around: number[], nth: number): string {
    const ids = around.map((index) => steps[index]?.id)
    const last = steps[around.at(-1) ?? 0]
    const place = last?.needs ? `${last.place}.needs[${nth}]` : last?.place
    if (ids.length === 1) return `${place}: expected another step, ${ids[0]} cannot need itself`
    return `${place}: expected no circle, each of these needs the next: ${[...ids, ids[0]].join(' → ')}`
  }
}
