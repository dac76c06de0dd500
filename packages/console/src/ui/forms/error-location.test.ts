import { expect, test } from 'vitest'
import { parseErrorLocation } from './error-location.ts'

test('an error of the tool is shown with its location, snippet and other locations', () => {
  const object = {
    message: 'There is no such variable.',
    file: 'main.tf',
    line: 4,
    resource: 'terraform_data.x[0]',
    snippet: '  input = var.nothing',
    values: ['var.size is 3'],
    alsoAt: ['main.tf:4, terraform_data.x[1]'],
  }
  expect(parseErrorLocation({ title: 'Unknown variable', render: 'object', object })).toEqual({
    where: 'main.tf, line 4 · terraform_data.x[0]',
    message: 'There is no such variable.',
    snippet: '  input = var.nothing',
    more: ['var.size is 3', 'also at main.tf:4, terraform_data.x[1]'],
  })
})

test('other sections are shown unchanged', () => {
  expect(parseErrorLocation({ title: 'Alarm', render: 'object', object: { name: 'errors' } })).toBeUndefined()
  expect(parseErrorLocation({ title: 'Steps', render: 'list', items: ['a'] })).toBeUndefined()
})
