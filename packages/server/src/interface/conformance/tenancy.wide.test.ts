import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  describeHidden,
  describeOrganizationIsolation,
  describeRepetition,
  describeRights,
  tenantMatrix,
  useTwoOrganizations,
} from '../../testing/tenancy.ts'

useTwoOrganizations()
describeOrganizationIsolation()
describeRights()
describeHidden()
describeRepetition()

test('docs/explanation/reliability.md has the number of calls that try to access other organizations', () => {
  const { operations, ofOneRecord, lists, references, calls } = tenantMatrix
  const page = readFileSync(new URL('../../../../../docs/explanation/reliability.md', import.meta.url), 'utf8')
  const inWords = (count: number) => count.toLocaleString('en-US')
  const said = /\d+ operations, .*? calls/.exec(page.replaceAll(/\s+/g, ' '))?.[0]
  expect(said, 'docs/explanation/reliability.md, "Who tries to get past the walls"').toBe(
    `${inWords(operations)} operations, ${inWords(ofOneRecord)} of them on one record, ${inWords(lists)} lists and ` +
      `${inWords(references)} fields that name a record: at least ${inWords(calls)} calls`,
  )
})
