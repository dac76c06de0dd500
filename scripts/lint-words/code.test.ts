import { expect, test } from 'vitest'
import { checkCode } from './code.ts'

const messagesOf = (text: string) => checkCode(text).map(({ line, message }) => `${line}: ${message}`)

test('a phrase of the dialect is reported in comments and titles of tests, and not in code spans', () => {
  expect(messagesOf('/** A release that is under way. */')).toEqual(['1: "under way": use in progress'])
  expect(messagesOf('x()\nwait() // whoever asks')).toEqual([expect.stringMatching(/^2: "whoever"/)])
  expect(messagesOf("test('a hold is carried out', () => {")).toEqual([expect.stringMatching(/^1: "carried out"/)])
  expect(messagesOf('/** Returns `under way`. */')).toEqual([])
  expect(messagesOf("const text = 'under way'")).toEqual([])
})

test('a word of the dialect is reported in names of declarations', () => {
  expect(messagesOf('export function toldOf() {')).toEqual(['1: name "toldOf": use notified, reported, published'])
  expect(messagesOf('const isUnderWay = true')).toEqual(['1: name "isUnderWay": use in progress'])
  expect(messagesOf('const understanding = 1')).toEqual([])
})
