import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { overrideFile } from './backend.ts'
import { declarationsIn } from './configuration.fixture.ts'
import { type DeclaredBackend, rejectCloudBlock } from './declared-backend.ts'

const declaredIn = async (files: Record<string, string>): Promise<DeclaredBackend | undefined> =>
  (await declarationsIn(files)).backend

test(
  'the declared backend of the root module is found with its file and line',
  everyCase<[string, Record<string, string>, DeclaredBackend | undefined]>(
    [
      ['none', { 'main.tf': 'resource "terraform_data" "a" {}' }, undefined],
      [
        'a backend',
        { 'main.tf': 'terraform {\n  required_version = "> 1"\n  backend "s3" {\n    bucket = "b"\n  }\n}' },
        { type: 's3', file: 'main.tf', line: 3 },
      ],
      [
        'a cloud block after a backend',
        { 'a.tf': 'terraform {\n  backend "s3" {}\n}', 'b.tf': 'terraform {\n  cloud {\n  }\n}' },
        { type: 'cloud', file: 'b.tf', line: 2 },
      ],
      [
        'a cloud block after other blocks and maps',
        { 'main.tofu': 'terraform {\n  required_providers {\n    aws = { source = "x/y" }\n  }\n  cloud {}\n}' },
        { type: 'cloud', file: 'main.tofu', line: 5 },
      ],
      [
        'blocks of that name elsewhere',
        {
          'main.tf': 'resource "a" "b" {\n  cloud {}\n  backend "s3" {}\n}\nlocals {\n  terraform = { cloud = {} }\n}',
        },
        undefined,
      ],
      [
        'comments, strings and heredocs',
        {
          'main.tf': [
            'terraform {\n  # backend "s3" {}\n  // cloud {}\n  /* cloud {} */\n}',
            'locals {\n  a = "terraform {\\n cloud {}"\n  b = <<-EOT\n    terraform {\n      cloud {}\n    }\n  EOT\n}',
          ].join('\n'),
        },
        undefined,
      ],
      [
        'a backend without quotes, after heredocs without lines',
        { 'main.tf': 'locals {\n  a = <<EOT\nEOT\n  b = <<EOT\r\n{\r\nEOT\r\n}\nterraform {\n  backend s3 {}\n}' },
        { type: 's3', file: 'main.tf', line: 9 },
      ],
      ['the override of Sluice', { [overrideFile]: '{"terraform": {"backend": {"http": {}}}}' }, undefined],
      ['JSON', { 'main.tf.json': '{"terraform": {"backend": {"gcs": {}}}}' }, { type: 'gcs', file: 'main.tf.json' }],
      ['JSON of lists', { 'a.tf.json': '{"terraform": [{}, {"cloud": {}}]}' }, { type: 'cloud', file: 'a.tf.json' }],
      ['no JSON', { 'a.tf.json': '{' }, undefined],
      ['files that are not configuration', { 'README.md': 'terraform {\n  cloud {}\n}' }, undefined],
    ],
    async (_, files, expected) => expect(await declaredIn(files)).toEqual(expected),
  ),
)

/** Milliseconds: far more than reading once takes on a slow machine, and far less than quadratic time. */
const linearMs = 30_000

test(
  'unterminated blocks and comments of a megabyte are read in linear time',
  async () => {
    for (const opening of ['/*', '<<A\n', '"', '{', '#', 'terraform {\n']) {
      expect(await declaredIn({ 'main.tf': opening.repeat(1_000_000 / opening.length) })).toBeUndefined()
    }
  },
  linearMs,
)

test('the first of very many backends is found in little time', async () => {
  const main = `terraform {\n${'backend s3 {}\n'.repeat(70_000)}`
  expect(await declaredIn({ 'main.tf': main })).toEqual({ type: 's3', file: 'main.tf', line: 2 })
})

test('a cloud block is rejected with its location and the remedy', () => {
  expect(() => rejectCloudBlock({ type: 'cloud', file: 'main.tf', line: 2 })).toThrow('cloud block: main.tf line 2')
  expect(() => rejectCloudBlock({ type: 's3', file: 'main.tf', line: 2 })).not.toThrow()
})
