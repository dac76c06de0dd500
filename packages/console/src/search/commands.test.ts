import { expect, test } from 'vitest'
import { commandIn, pagesNamed } from './commands.ts'

test.each([
  ['release web', { label: 'Release', tab: 'releases', service: 'web' }],
  ['  Deploy   Web production ', { label: 'Release', tab: 'releases', service: 'web production' }],
  ['roll back web', { label: 'Roll back', tab: 'releases', service: 'web' }],
  ['logs web', { label: 'Logs of', tab: 'logs', service: 'web' }],
])('“%s” is a command', (text, command) => {
  expect(commandIn(text)).toEqual(command)
})

test.each(['', 'release', 'release ', 'released web', 'web'])('“%s” is none', (text) => {
  expect(commandIn(text)).toBe(undefined)
})

const pages = [{ label: 'API keys' }, { label: 'What runs where' }, { label: 'Single sign-on' }]
test.each([
  ['api', ['API keys']],
  ['runs wh', ['What runs where']],
  ['on', ['Single sign-on']],
  ['', []],
  ['eys', []],
])('“%s” names %j', (text, named) => {
  expect(pagesNamed(text, pages).map(({ label }) => label)).toEqual(named)
})
