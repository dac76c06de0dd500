import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { declarationsIn } from './configuration.fixture.ts'

test(
  'variables that are declared as sensitive or ephemeral are found',
  everyCase<[string, Record<string, string>, string[]]>(
    [
      ['none', { 'main.tf': 'variable "a" {}\nvariable "b" {\n  sensitive = false\n}' }, []],
      ['a mark', { 'main.tf': 'variable "a" {\n  type = string\n  sensitive = true\n}' }, ['a']],
      ['one line', { 'main.tf': 'variable "a" { sensitive=true }\nvariable b { ephemeral = true }' }, ['a', 'b']],
      [
        'several files',
        { 'a.tf': 'variable "a" { sensitive = true }', 'b.tofu': 'variable "b" { sensitive = true }' },
        ['a', 'b'],
      ],
      [
        'marks of other blocks',
        {
          'main.tf':
            'output "a" {\n  sensitive = true\n}\nvariable "b" {\n  validation {\n    sensitive = true\n  }\n}',
        },
        [],
      ],
      [
        'comments and texts',
        { 'main.tf': 'variable "a" {\n  # sensitive = true\n  default = "sensitive = true"\n}' },
        [],
      ],
      [
        'JSON',
        {
          'main.tf.json':
            '{"variable": {"a": {"sensitive": true}, "b": [{"ephemeral": true}], "c": {"sensitive": "true"}}}',
        },
        ['a', 'b'],
      ],
      [
        'names that no tool accepts',
        { 'main.tf.json': '{"variable": {"a\\u0000": {"sensitive": true}, "": {"sensitive": true}}}' },
        [],
      ],
      ['invalid JSON', { 'main.tf.json': '{"variable": ' }, []],
      ['JSON of another shape', { 'main.tf.json': '{"variable": [null, 3, {"a": null}]}' }, []],
    ],
    async (_, files, names) => expect((await declarationsIn(files)).sensitiveVariables).toEqual(names),
  ),
)
