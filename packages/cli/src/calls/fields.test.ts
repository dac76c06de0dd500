import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { isField, objectOf, readFields } from './fields.ts'

const read = (...words: string[]) => objectOf(readFields(words))

test('a field is text or, with :=, JSON', () => {
  expect(read('image_ref=web:2=x', 'empty=', 'replicas:=3', 'tags:=["a"]', 'replicas_text=3')).toEqual({
    image_ref: 'web:2=x',
    empty: '',
    replicas: 3,
    tags: ['a'],
    replicas_text: '3',
  })
})

test('aliases and merge keys of a file are resolved, and errors have their position', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-fields-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const file = join(directory, 'config.yaml')
  await writeFile(file, `base: &base {type: command}\nsteps:\n${'  - {<<: *base, id: a}\n'.repeat(150)}`)
  expect(read(`config:=@${file}`).config).toMatchObject({ steps: Array(150).fill({ type: 'command', id: 'a' }) })
  await writeFile(file, 'steps:\n  - {<<: 1}\n')
  expect(() => read(`config:=@${file}`)).toThrow('2:6: Only mappings can be merged by <<')
})

test('a field can be read from a file: as text or, with :=, as JSON or YAML', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-fields-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const file = join(directory, 'config.yaml')
  await writeFile(file, 'steps:\n  - id: ask\n')
  expect(read(`config:=@${file}`, `text=@${file}`)).toEqual({
    config: { steps: [{ id: 'ask' }] },
    text: 'steps:\n  - id: ask\n',
  })
})

test(
  'a malformed field is rejected with the reason',
  everyCase(
    [
      ['image_ref', 'image_ref is not of the form name=text, name:=JSON, name=@file or name:=@file.'],
      ['=x', '=x is not of the form'],
      ['image_ref:=web', 'image_ref:=web: Unexpected token'],
      ['config:=@nowhere.yaml', 'config:=@nowhere.yaml: the file cannot be read (ENOENT).'],
      ['text=@nowhere.txt', 'text=@nowhere.txt: the file cannot be read (ENOENT).'],
    ],
    (word, why) => {
      expect(() => read(word)).toThrow(why)
    },
  ),
)

test('a repeated name is rejected if only one value is allowed', () => {
  expect(readFields(['status=SUCCESS', 'status=ERROR']).get('status')).toEqual(['SUCCESS', 'ERROR'])
  expect(() => read('a=1', 'a=2')).toThrow('a is given more than once.')
})

test('an id is not a field', () => {
  expect(['dep_01', 'status=SUCCESS', 'replicas:=3'].map(isField)).toEqual([false, true, true])
})
