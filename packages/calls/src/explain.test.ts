import { expect, test } from 'vitest'
import { explain } from './explain.ts'

test('an error is printed with its details: one next to its title, several below it', () => {
  const told = explain({
    code: 'Sluice:PipelineRuns:COMMAND_FAILED',
    message: 'The program ended with exit code 1.',
    details: [
      { title: 'Last log lines', render: 'list', items: ['make: ***', '', 'Error 2'] },
      { title: 'Place', render: 'list', items: ['steps/build'] },
    ],
  })
  expect(told.split('\n')).toEqual([
    'The program ended with exit code 1. (Sluice:PipelineRuns:COMMAND_FAILED)',
    '  Last log lines:',
    '    make: ***',
    '',
    '    Error 2',
    '  Place: steps/build',
  ])
})

test('an error of the IaC tool is printed with its position', () => {
  const told = explain({
    code: 'Sluice:Iac:PLAN_FAILED',
    message: 'The changes could not be planned. Unknown variable.',
    description: 'There is no such variable.',
    details: [
      {
        title: 'Unknown variable',
        render: 'object',
        object: {
          message: 'There is no such variable.',
          file: 'main.tf',
          line: 4,
          snippet: '  input = {\n    a = var.nothing',
          alsoAt: ['main.tf:4, terraform_data.x[1]', 'main.tf:9'],
        },
      },
    ],
  })
  expect(told.split('\n')).toEqual([
    'The changes could not be planned. Unknown variable. (Sluice:Iac:PLAN_FAILED)',
    '  There is no such variable.',
    '  Unknown variable:',
    '    file: main.tf',
    '    line: 4',
    '    snippet:',
    '        input = {',
    '          a = var.nothing',
    '    alsoAt:',
    '      main.tf:4, terraform_data.x[1]',
    '      main.tf:9',
  ])
})

test('names and messages of other users in an error cannot control the terminal', () => {
  const hostile = 'No latest\u009b2J\u202e\u001b[2K'
  const details = [{ title: 'Policies', render: 'list' as const, items: [hostile, hostile] }]
  const text = explain({ code: 'Sluice:Policies:DENIED', message: hostile, description: hostile, details })
  expect(text).not.toMatch(/[\u007f-\u009f\p{Bidi_Control}]/u)
  expect(text).not.toContain('\u001b')
  expect(text.split('\n')).toHaveLength(5)
})
