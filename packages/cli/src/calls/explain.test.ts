import { expect, test } from 'vitest'
import { explain } from './explain.ts'

test('an error is told with its details: one beside its title, several below it', () => {
  const told = explain({
    code: 'Sluice:PipelineRuns:COMMAND_FAILED',
    message: 'The program ended with exit code 1.',
    details: [
      { title: 'The end of its log', render: 'list', items: ['make: ***', '', 'Error 2'] },
      { title: 'Place', render: 'list', items: ['steps/build'] },
    ],
  })
  expect(told.split('\n')).toEqual([
    'The program ended with exit code 1. (Sluice:PipelineRuns:COMMAND_FAILED)',
    '  The end of its log:',
    '    make: ***',
    '',
    '    Error 2',
    '  Place: steps/build',
  ])
})
