import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { findPages, parseCommand } from './commands.ts'

test(
  'a command is recognized',
  everyCase(
    [
      ['release web', { label: 'Deploy', tab: 'releases', command: 'deploy', service: 'web' }],
      [
        '  Deploy   Web production ',
        { label: 'Deploy', tab: 'releases', command: 'deploy', service: 'web production' },
      ],
      ['roll back web', { label: 'Roll back', tab: 'releases', command: 'rollBack', service: 'web' }],
      ['lift hold web', { label: 'Lift hold of', tab: 'releases', command: 'liftHold', service: 'web' }],
      ['logs web', { label: 'Logs of', tab: 'logs', service: 'web' }],
    ],
    (text, command) => {
      expect(parseCommand(text)).toEqual(command)
    },
  ),
)

test(
  'text that is no command is not recognized',
  everyCase(['', 'release', 'release ', 'released web', 'web'], (text) => {
    expect(parseCommand(text)).toBe(undefined)
  }),
)

const pages = [{ label: 'API keys' }, { label: 'Audit log' }, { label: 'Single sign-on' }]
test(
  'a search names the pages that match',
  everyCase(
    [
      ['api', ['API keys']],
      ['log au', ['Audit log']],
      ['on', ['Single sign-on']],
      ['', []],
      ['eys', []],
    ],
    (text, named) => {
      expect(findPages(text, pages).map(({ label }) => label)).toEqual(named)
    },
  ),
)
