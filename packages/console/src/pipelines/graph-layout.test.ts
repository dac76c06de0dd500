import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stepDependencies } from './config.ts'
import { box, edgePath, gap, layout } from './graph-layout.ts'

/** Acyclic graphs: a step can depend only on earlier steps. */
const graphs = fc.array(fc.array(fc.nat()), { maxLength: 30 }).map((wanted) => {
  const needsAt = (before: number[], index: number) => [...new Set(before.map((one) => `s${one % index}`))]
  return new Map(wanted.map((before, index) => [`s${index}`, index === 0 ? [] : needsAt(before, index)]))
})

describe('the graph of a run', () => {
  test('a step is to the right of its dependencies, and no two steps overlap', () => {
    fc.assert(
      fc.property(graphs, (needs) => {
        const placed = new Map(layout(needs).map(({ id, x, y }) => [id, { x, y }]))
        expect([...placed.keys()].sort()).toEqual([...needs.keys()].sort())
        for (const [id, before] of needs) {
          for (const one of before) expect(placed.get(one)?.x).toBeLessThan(placed.get(id)?.x ?? 0)
        }
        expect(new Set([...placed.values()].map(({ x, y }) => `${x} ${y}`)).size).toBe(placed.size)
      }),
    )
  })

  test('a chain of steps is drawn in one line', () => {
    const placed = layout(stepDependencies([step('plan'), step('apply'), step('deploy')]))
    expect(placed.map(({ id }) => id)).toEqual(['plan', 'apply', 'deploy'])
    expect(new Set(placed.map(({ y }) => y)).size).toBe(1)
    expect(placed.map(({ x }) => x / (box.width + gap.column))).toEqual([0, 1, 2])
  })

  test('an edge runs from the right of one box to the left of the other', () => {
    const path = edgePath({ id: 'plan', x: 0, y: 0 }, { id: 'apply', x: 300, y: 80 })
    expect(path).toBe('M 250 30 C 275 30, 275 110, 300 110')
  })
})

const step = (id: string) => ({ id, type: 'approval' })
