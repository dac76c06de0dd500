import { expect, test } from 'vitest'
import { commentsIn, draw, labelsIn, messagesIn, namesIn, paragraphsIn } from './sample.ts'

const textsOf = (found: { text: string }[]) => found.map(({ text }) => text)
const file = (text: string) => ({ path: 'a', text })

test('the same seed draws the same texts, each once', () => {
  const found = ['a', 'b', 'c', 'd', 'a'].map((text) => ({ path: 'p', text }))
  const drawn = textsOf(draw(found, 3, '7'))
  expect(drawn).toEqual(textsOf(draw(found.toReversed(), 3, '7')))
  expect(new Set(drawn).size).toBe(3)
  expect(textsOf(draw(found, 9, '7')).toSorted()).toEqual(['a', 'b', 'c', 'd'])
})

test('comments of several lines are one text', () => {
  const code =
    "/**\n * Returns the names,\n * sorted.\n */\nconst a = 'b' // of the last\n// Skips empty\n// lines too.\n"
  expect(textsOf(commentsIn(file(code)))).toEqual([
    'Returns the names, sorted.',
    'of the last',
    'Skips empty lines too.',
  ])
})

test('texts of components, messages, names and paragraphs are found', () => {
  expect(textsOf(labelsIn(file('<Text label="Role ARN">\n  Add account\n</Text>')))).toEqual([
    'Role ARN',
    'Add account',
  ])
  expect(textsOf(messagesIn(file("throw new ApiError('projectNotFound', 'The project does not exist.')")))).toEqual([
    'The project does not exist.',
  ])
  expect(textsOf(namesIn(file('export type Sample = 1\nconst hidden = 2\nexport async function draw() {}')))).toEqual([
    'Sample',
    'draw',
  ])
  const page =
    '# Title\n\nA release moves traffic\nto the new version.\n\n```sh\nsluice deploy web now and then again\n```\n'
  expect(textsOf(paragraphsIn(file(page)))).toEqual(['A release moves traffic to the new version.'])
})
