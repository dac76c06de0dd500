import { expect, test } from 'vitest'
import { errorPlaceOf } from './error-place.ts'

test('an error of the tool is shown with its place, its snippet, and where else it is', () => {
  const object = {
    message: 'There is no such variable.',
    file: 'main.tf',
    line: 4,
    resource: 'terraform_data.x[0]',
    snippet: '  input = var.nothing',
    values: ['var.size is 3'],
    alsoAt: ['main.tf:4, terraform_data.x[1]'],
  }
  expect(errorPlaceOf({ title: 'Unknown variable', render: 'object', object })).toEqual({
    where: 'main.tf, line 4 · terraform_data.x[0]',
    message: 'There is no such variable.',
    snippet: '  input = var.nothing',
    more: ['var.size is 3', 'also at main.tf:4, terraform_data.x[1]'],
  })
})

test('a section that says something else is shown as it is', () => {
  expect(errorPlaceOf({ title: 'Alarm', render: 'object', object: { name: 'errors' } })).toBeUndefined()
  expect(errorPlaceOf({ title: 'Steps', render: 'list', items: ['a'] })).toBeUndefined()
})
