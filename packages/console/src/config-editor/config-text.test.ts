import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { formatConfig, hasComments, locateProblems, parseConfig } from './config-text.ts'

const text = `steps:
  - id: plan
    type: iac:plan
    with: { stack: shop, source: { files: {} } }
  - id: apply
    type: iac:aply
    needs: [bulid]
    when: << inputs.imag != nil >>
`
const marked = (fault: string) => {
  const [{ from, to, message } = { from: 0, to: 0, message: '' }] = locateProblems(text, [fault])
  return [text.slice(from, to), message]
}

describe('a problem from the server', () => {
  test(
    'an error is shown at its position',
    everyCase(
      [
        ['$.data.config.steps[1].type: unknown type iac:aply', 'iac:aply', 'unknown type iac:aply'],
        ['$.data.config.steps[1].needs[0]: unknown step bulid', 'bulid', 'unknown step bulid'],
        ['$.data.config.steps[0].with.source.files: expected a file', 'files', 'expected a file'],
        [
          '$.data.config.steps[1].when: no imag (line 1)\n  << …',
          '<< inputs.imag != nil >>',
          'no imag (line 1)\n  << …',
        ],
        ['$.data.config.steps[0].with.tool: expected a tool', 'with', 'expected a tool'],
      ],
      (fault, place, message) => {
        expect(marked(fault)).toEqual([place, message])
      },
    ),
  )

  test('without a path or in an unknown form, it is shown at the beginning', () => {
    expect(locateProblems(text, ['something else'])[0]).toMatchObject({ from: 0, message: 'something else' })
    expect(locateProblems('', ['$.data.config: expected steps'])[0]).toMatchObject({
      from: 0,
      message: 'expected steps',
    })
  })
})

describe('the text of a configuration', () => {
  test('round-trips the configuration', () => {
    const config = { steps: [{ id: 'a', type: 'command', with: { shell: 'echo one\necho two\n' }, when: '<< !x >>' }] }
    expect(parseConfig(formatConfig(config))).toEqual({ config, faults: [] })
  })

  test('can be JSON', () => {
    expect(parseConfig('{"steps":[{"id":"a"}]}').config).toEqual({ steps: [{ id: 'a' }] })
  })

  test('reports the position of a syntax error', () => {
    expect(parseConfig('x: &a {type: command}\nsteps: [{id: a, <<: *a}, {<<: *a, id: b}]\n').config?.steps).toEqual([
      { id: 'a', type: 'command' },
      { id: 'b', type: 'command' },
    ])
    const many = parseConfig(`x: &a [[&b {}, *b], *b]\nsteps: [${Array(300).fill('*a').join()}]`)
    expect(many.config?.steps).toHaveLength(300)
    expect(parseConfig('steps: {<<: 1}').faults).toMatchObject([{ message: expect.stringContaining('Merge') }])
    const { faults } = parseConfig('steps:\n  - id: "a\n')
    expect(faults.length).toBeGreaterThan(0)
    expect(parseConfig('- a\n').faults).toMatchObject([{ from: 0, message: 'A configuration must be a mapping.' }])
  })
})

describe('comments are distinguished from similar text', () => {
  test(
    'every comment is found',
    everyCase(
      [
        ['a line of its own', '# why\nsteps: []\n'],
        ['an indented one', 'steps:\n  # why\n  - id: a\n'],
        ['behind a value', 'steps:\n  - id: a # why\n'],
        ['behind an opening', 'steps: # why\n  - id: a\n'],
        ['behind the header of a script', 'shell: | # why\n  echo\n'],
        ['after a script', 'shell: |\n  echo\n# why\n'],
        ['in a flow', 'steps: [ # why\n  {id: a} ]\n'],
        ['in a text with a fault', 'steps: [\n# why\n'],
      ],
      (_where, text) => {
        expect(hasComments(text)).toBe(true)
      },
    ),
  )

  test(
    'text that only looks like a comment is not one',
    everyCase(
      [
        ['in a script', 'shell: |\n  # a comment of the script\n  echo # and another\n'],
        ['in a folded text', 'message: >\n\n  # first\n'],
        ['within a word', 'url: https://example.test/#top\nid: a#b\n'],
        ['in quotes', 'a: "# b"\nc: \'d # e\'\n'],
        ['on a later line of quotes', 'a: "b\n  # c"\n'],
        ['in JSON', '{"steps": [{"id": "# a"}]}'],
        [
          'in what is made of a configuration',
          formatConfig({ steps: [{ id: 'a', with: { shell: '# one\necho\n', b: '# c' } }] }),
        ],
      ],
      (_where, text) => {
        expect(hasComments(text)).toBe(false)
      },
    ),
  )
})
