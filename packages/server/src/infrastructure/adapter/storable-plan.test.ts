import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { toStorablePlan } from './storable-plan.ts'

const text = 'expected text without NUL characters or lone surrogates'
const change = (values: object) => ({ address: 'a.b["c"]', change: { actions: ['update'], ...values } })

test(
  'omitted values are identified by attribute or output, without the names inside them',
  everyCase<[object, string[]]>(
    [
      [{ resource_changes: [change({ before: null, after: { input: { secret: '\0' } } })] }, ['a.b["c"].after.input']],
      [
        { resource_changes: [change({ before: { 'an "odd" name': ['\0'] } })] },
        ['a.b["c"].before["an \\"odd\\" name"]'],
      ],
      [
        { resource_drift: [change({ before: '\0', after: { a: '\0', b: ['\0', '\0'] } })] },
        ['before', '.after.a', '.after.b'],
      ],
      [{ resource_changes: [change({ after_unknown: { a: '\0' } })], planned_values: { a: '\0' } }, []],
      [{ output_changes: { one: { actions: ['create'], after: { secret: '\0' } } } }, ['output_changes.one']],
    ],
    (plan, paths) => {
      const { omittedValues } = toStorablePlan(plan)
      expect(omittedValues).toEqual(paths.map((path) => ({ path: expect.stringContaining(path), reason: text })))
      expect(JSON.stringify(omittedValues)).not.toContain('secret')
    },
  ),
)
