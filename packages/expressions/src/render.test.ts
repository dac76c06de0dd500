import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../testing/every-case.ts'
import { ExpressionError, type TemplateIssue } from './errors.ts'
import { render, renderText } from './render.ts'

const roots = { deploy: { input: { image_ref: 'shop/web:7', none: null } }, module: { input: { ports: [80, 443] } } }

describe('render', () => {
  test(
    'returns the value of the template',
    everyCase(
      [
        ['a literal', 'plain', 'plain'],
        ['a reference', '<< deploy.input.image_ref >>', 'shop/web:7'],
        ['a reference without spaces', '<<deploy.input.image_ref>>', 'shop/web:7'],
        ['a reference amid line breaks', '<<\n  deploy.input.image_ref\n>>\n', 'shop/web:7'],
        ['a list, which keeps its type', '<< module.input.ports >>', [80, 443]],
        ['a missing member', '<< module.input.nothing.below >>', null],
        ['an inherited member', '<< module.input.constructor >>', null],
        ['numbers, booleans and null', { a: 1, b: [true, null] }, { a: 1, b: [true, null] }],
        ['nested values', { a: ['<< deploy.input.image_ref >>'] }, { a: ['shop/web:7'] }],
      ],
      (_, template, value) => {
        expect(render(template, roots)).toEqual(value)
      },
    ),
  )

  test(
    'leaves text without an expression unchanged',
    everyCase(
      [
        ['a heredoc', 'a = <<-EOT\n  x\n  EOT\n'],
        ['one that is not indented', 'cat <<EOF\n$X\nEOF'],
        ['several', 'a = <<A\nA\nb = <<A\nx\nA\n'],
        ['one of Windows', 'a = <<EOT\r\nx\r\nEOT\r\n'],
      ],
      (_, text) => {
        expect(render(text, roots)).toBe(text)
      },
    ),
  )

  test('templates inside a heredoc are rendered, and text that only resembles a heredoc is a template', () => {
    const text = 'a = <<-EOT\n  << deploy.input.image_ref >>\n  EOT\nb = "<< module.input.ports >>"'
    expect(render(text, roots)).toBe('a = <<-EOT\n  shop/web:7\n  EOT\nb = "[80,443]"')
    expect(render('<<deploy\n.input.image_ref>>', roots)).toBe('shop/web:7')
    expect(faultsOf('a = <<EOT\nno end', roots)[0]?.message).toMatch('this << has no >>')
  })

  test('all faults are reported at once, with their positions', () => {
    const config = { a: '<< stak.id >>', b: ['x << deploy.input.image_ref >>'], 'c d': ['<< deploy.input.image_ref'] }
    expect(faultsOf(config, { ...roots, stack: {} }, 'deploy')).toEqual([
      {
        path: 'deploy.a',
        message: 'unknown name stak; did you mean stack? (line 1, column 4)\n  << stak.id >>\n     ^',
      },
      {
        path: 'deploy["c d"][0]',
        message: 'this << has no >> (line 1, column 1)\n  << deploy.input.image_ref\n  ^',
      },
    ])
  })

  test('a long line is shortened around the position', () => {
    const [fault] = faultsOf(`<< "${'x'.repeat(500)}" + nobody + "${'y'.repeat(500)}" >>\n`, {})
    const [what, line, caret] = fault?.message.split('\n') ?? []
    expect(what).toBe('unknown name nobody; none is available (line 1, column 509)')
    expect(line).toHaveLength(122)
    expect(caret?.length).toBe((line?.indexOf('nobody') ?? 0) + 1)
  })

  test('lines and columns are counted from one', () => {
    const [fault] = faultsOf('first\n\t<< 1 +\n\t\tnil >>', {})
    expect(fault?.message).toBe(
      '+ takes two numbers, two texts or two lists, not number + nil (line 2, column 7)\n   << 1 +\n        ^',
    )
  })

  test.each([
    ['a spread of a list into an object', { '...a': '<< [1] >>' }, '... takes an object or nil here, not list'],
    ['a spread of an object into a list', ['...<< {a: 1} >>'], '... takes a list or nil here, not object'],
    ['an unknown function', '<< joim("x") >>', 'unknown function joim; did you mean join?'],
  ])('%s is a fault', (_, config, message) => {
    expect(faultsOf(config, {})[0]?.message).toContain(message)
  })
})

describe('renderText', () => {
  const context = { a: 'x y', b: null, c: 1.5, d: { e: [true] } }

  test(
    'returns the text with its expressions replaced',
    everyCase(
      [
        ['no template', 'plain', 'plain'],
        ['a whole template', '<< a >>', 'x y'],
        ['nil', '<< b >>', ''],
        ['several', '<< a >>/<< b >>/<< c >>', 'x y//1.5'],
        ['JSON', '<< d >>', '{"e":[true]}'],
      ],
      (_, text, rendered) => {
        expect(renderText(text, context)).toBe(rendered)
      },
    ),
  )

  test('encodes each value but not the surrounding text', () => {
    expect(renderText('cloud/regions?a=<< a >>&b=<< c >>', context, '', encodeURIComponent)).toBe(
      'cloud/regions?a=x%20y&b=1.5',
    )
  })

  test('reports the path of a fault', () => {
    expect(() => renderText('<< nobody >>', context, 'here')).toThrow(/^here: unknown name nobody/)
  })
})

function faultsOf(...[value, context, path]: Parameters<typeof render>): TemplateIssue[] {
  try {
    render(value, context, path)
  } catch (error) {
    if (error instanceof ExpressionError) return error.faults
    throw error
  }
  return []
}
