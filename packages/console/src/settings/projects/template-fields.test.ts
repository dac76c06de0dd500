import { expect, test } from 'vitest'
import { changeOf, linesOfList, templateIn, textOfObject } from './template-fields.ts'

const formOf = (fields: Record<string, string>) => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return form
}
const numbers = { namePattern: 'pr-{number}', lifetimeHours: '72', mostInProject: '10' }

test('what is left empty of a template is not said when it is made, and taken away when it is changed', () => {
  const entries = templateIn(formOf({ ...numbers, branches: ' \n', pipelineId: '' }))
  const said = { namePattern: 'pr-{number}', lifetimeHours: 72, mostInProject: 10, allowsForks: false }
  expect(entries).toEqual({ ...said, inputs: {}, pipelineInputs: {} })
  expect(changeOf(entries)).toEqual({ ...entries, branches: null, paths: null, instances: null, pipelineId: null })
})

test('what stands in a template is the same after it was edited', () => {
  const [branches, inputs] = [['main', 'release/*'], { web: { tag: '<< pull_request.commit >>' } }]
  const fields = { ...numbers, branches: linesOfList(branches), inputs: textOfObject(inputs), pipelineId: 'pl_1' }
  const entries = templateIn(formOf({ ...fields, allowsForks: 'on' }))
  expect(entries).toMatchObject({ branches, inputs, pipelineId: 'pl_1', allowsForks: true })
  expect(changeOf(entries)).toMatchObject({ branches, pipelineId: 'pl_1', paths: null })
})

test('what is no JSON is sent as it was written, for the service to say what is wrong with it', () => {
  expect(templateIn(formOf({ ...numbers, inputs: '{web' }))).toMatchObject({ inputs: '{web' })
})
