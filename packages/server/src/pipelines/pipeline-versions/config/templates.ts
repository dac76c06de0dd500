import { check, hasTemplate, type Shape } from '@sluice/expressions'
import { memberPath } from '../../../platform/http/faults.ts'
import type { Draft, DraftStep } from './draft.ts'
import { matrixNames, matrixOf } from './matrix.ts'
import { stepsBefore } from './steps.ts'
import { separateProgramTexts } from './verbatim.ts'

type Shapes = { [name: string]: Shape }

const named: Shapes = { id: 'any', given_id: 'any', name: 'any' }
const trigger: Shapes = { kind: 'any', payload: 'any' }

/** Variables of templates in a run. */
const rootsOf = ({ inputs }: Draft): Shapes => ({
  inputs: shapesOf(
    inputs.map(({ written }) => written.id),
    'any',
  ),
  pipeline: { ...named, run: { id: 'any', description: 'any', triggered_by: 'any' } },
  project: named,
  environment: named,
  trigger,
})

const shapesOf = (names: unknown[], shape: Shape): Shapes =>
  Object.fromEntries(names.filter((name) => typeof name === 'string').map((name) => [name, shape]))

const stepShapes = (ids: string[]): Shapes => shapesOf(ids, { status: 'any', output: 'any' })

/** Most texts do not refer to steps, and then the list of ended steps is not needed. */
const mayReadSteps = (value: unknown): boolean => JSON.stringify(value)?.includes('steps') ?? false

/** Variables of templates in triggers, which have no run yet. */
const rootsOfTrigger: Shapes = { trigger, pipeline: named, project: named }

/** Returns errors for templates that do not parse or that read unknown variables. */
export function templateFaults(draft: Draft): string[] {
  const { place, written, triggers, steps } = draft
  const roots = rootsOf(draft)
  const all = { ...roots, defaults: 'any', steps: stepShapes(steps.map(({ id }) => id)) } as const
  const { group } = (written.concurrency ?? {}) as { group?: unknown }
  return [
    ...linesOf(group, roots, `${place}.concurrency.group`),
    ...triggers.flatMap(({ place, written: { inputs, ...plain } }) => [
      ...linesOf(inputs, rootsOfTrigger, `${place}.inputs`),
      ...plainFaults(plain, place, 'a trigger only has them in its inputs'),
    ]),
    ...steps.flatMap((step, index) => {
      const ids = {
        before: () => stepsBefore(steps, index),
        others: () => steps.map(({ id }) => id).filter((id) => id !== step.id),
      }
      return stepFaults(step, all, ids)
    }),
  ]
}

/** Returns one error for each template in a text that is not rendered; `instead` says where templates are supported. */
export function plainFaults(value: unknown, path: string, instead: string): string[] {
  if (typeof value === 'string') return hasTemplate(value) ? [`${path}: expected no template, ${instead}`] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => plainFaults(member, memberPath(path, name), instead))
}

const elsewhere = 'a step only has them in `with`, `when` and `approval.message`'

/** Ids of the steps that have ended before a step, and of all other steps. */
type OtherSteps = { before: () => string[]; others: () => string[] }

function stepFaults(step: DraftStep, all: Shapes, { before, others }: OtherSteps): string[] {
  const { place, written } = step
  const { with: _, when, approval, ...plain } = written
  const { message, ...plainApproval } = (approval ?? {}) as { message?: unknown }
  const needs = { needs: { succeeded: 'any' } } as const
  const matrix = matrixOf(step)
  const own: Shapes = matrix ? { matrix: shapesOf(matrixNames(matrix), 'any') } : {}
  return [
    ...lines(when, `${place}.when`, { ...own, ...needs }),
    ...lines(separateProgramTexts(step.with).rest, `${place}.with`, own),
    ...lines(message, `${place}.approval.message`, own),
    ...plainFaults(plain, place, elsewhere),
    ...plainFaults(plainApproval, `${place}.approval`, elsewhere),
  ]

  /** Returns the errors that do not depend on steps, or otherwise those that read a step that may not have ended. */
  function lines(value: unknown, path: string, more: Shapes = {}): string[] {
    const wrong = linesOf(value, { ...all, ...more }, path)
    if (!mayReadSteps(value)) return wrong
    // A step cannot read its own output, so it is not suggested either.
    if (wrong.length > 0) return linesOf(value, { ...all, steps: stepShapes(others()), ...more }, path)
    return linesOf(value, { ...all, steps: stepShapes(before()), ...more }, path).map(
      (line) => `${line}\nOnly the output of a step that is needed, directly or by a needed one, can be read.`,
    )
  }
}

const linesOf = (value: unknown, roots: Shapes, path: string): string[] =>
  check(value, roots, path).map((fault) => `${fault.path}: ${fault.message}`)
