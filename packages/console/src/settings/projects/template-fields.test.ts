import { expect, test } from 'vitest'
import { formatList, formatObject, templateFromForm, templateUpdate } from './template-fields.ts'

const formOf = (fields: Record<string, string>) => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return form
}
const numbers = { namePattern: 'pr-{number}', lifetimeHours: '72', maxPerProject: '10' }

test('empty fields are omitted on creation and cleared on update', () => {
  const entries = templateFromForm(formOf({ ...numbers, branches: ' \n', pipelineId: '' }))
  const said = { namePattern: 'pr-{number}', lifetimeHours: 72, maxPerProject: 10, allowsForks: false }
  expect(entries).toEqual({ ...said, inputs: {}, pipelineInputs: {} })
  expect(templateUpdate(entries)).toEqual({
    ...entries,
    branches: null,
    paths: null,
    instances: null,
    pipelineId: null,
  })
})

test('a template is unchanged after editing', () => {
  const [branches, inputs] = [['main', 'release/*'], { web: { tag: '<< pull_request.commit >>' } }]
  const fields = { ...numbers, branches: formatList(branches), inputs: formatObject(inputs), pipelineId: 'pl_1' }
  const entries = templateFromForm(formOf({ ...fields, allowsForks: 'on' }))
  expect(entries).toMatchObject({ branches, inputs, pipelineId: 'pl_1', allowsForks: true })
  expect(templateUpdate(entries)).toMatchObject({ branches, pipelineId: 'pl_1', paths: null })
})

test('invalid JSON is sent unchanged, so that the server reports it', () => {
  expect(templateFromForm(formOf({ ...numbers, inputs: '{web' }))).toMatchObject({ inputs: '{web' })
})
