import { expect, test } from 'vitest'
import { checkForm, checkLinks } from './pages.ts'
import { checkProse } from './prose.ts'

const messagesOf = async (text: string) => (await checkProse(text)).map(({ message }) => message)

test('a sentence has at most 30 words, and a code span counts as one', async () => {
  const words = (count: number) => Array.from({ length: count }, (_, at) => `w${'x'.repeat(at)}`).join(' ')
  expect(await messagesOf(`${words(29)} \`a b c\`.`)).toEqual([])
  expect(await messagesOf(`${words(28)}. \`a\` ${words(28)}.`)).toEqual([])
  expect(await messagesOf(`${words(30)} \`a\`.`)).toEqual([expect.stringMatching(/^31 words in a sentence/)])
})

test('a phrase of the dialect is reported with the term to use, in tables too, and not in code', async () => {
  const found = [expect.stringContaining('"under way": use in progress')]
  expect(await messagesOf('The release is under way.')).toEqual(found)
  expect(await messagesOf('| A | B |\n|---|---|\n| One | It is under way. |')).toEqual(found)
  expect(await messagesOf('Run `under way`.\n\n```sh\nunder way\n```')).toEqual([])
  expect(await messagesOf('<!-- generated: x -->\nIt is under way.\n<!-- end -->')).toEqual([])
})

test('wordy phrases, repeated words and wrong articles are reported', async () => {
  expect(await messagesOf('Use it in order to start.')).toEqual([expect.stringContaining('in order to')])
  expect(await messagesOf('Start the the server.')).toEqual([expect.stringContaining('repeated `the`')])
  expect(await messagesOf('Start an server.')).toEqual([expect.stringContaining('`an`')])
})

test('a link to a file or a section that does not exist is reported', () => {
  const pages: Record<string, string> = { 'docs/README.md': '# Docs\n\n## Start here\n' }
  const read = (text: string) => (path: string) => (path === 'README.md' ? text : (pages[path] ?? ''))
  const linksOf = (text: string) => checkLinks('README.md', read(text)).map(({ message }) => message)
  expect(linksOf('# A\n[a](docs/README.md#start-here) [b](#a) [c](https://example.com)')).toEqual([])
  expect(linksOf('[a](docs/none.md)')).toEqual(['links to docs/none.md, which does not exist'])
  expect(linksOf('[a](docs/README.md#end)')).toEqual(['links to docs/README.md#end, which does not exist'])
})

test('a how-to guide has at most 120 lines and a command on its first screen', () => {
  const messages = (page: string, text: string) => checkForm(page, text).map(({ message }) => message)
  const command = '# Do it\n\n```sh\nsluice\n```\n'
  expect(messages('docs/how-to/a.md', command)).toEqual([])
  expect(messages('docs/how-to/a.md', '# Do it\n')).toEqual([expect.stringContaining('no command')])
  expect(messages('docs/how-to/a.md', command + 'x\n'.repeat(120))).toEqual([expect.stringContaining('125 lines')])
  expect(messages('docs/reference/a.md', 'x\n'.repeat(500))).toEqual([])
  expect(messages('docs/a.md', '')).toEqual([expect.stringContaining('belongs in one of')])
})
