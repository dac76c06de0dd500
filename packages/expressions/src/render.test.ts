import { describe, expect, test } from 'vitest'
import { ExpressionError, render } from './render.ts'

const roots = { deploy: { input: { image_ref: 'shop/web:7', none: null } }, module: { input: { ports: [80, 443] } } }

describe('render', () => {
  test.each([
    ['a literal', 'plain', 'plain'],
    ['a reference', '<< deploy.input.image_ref >>', 'shop/web:7'],
    ['a reference without spaces', '<<deploy.input.image_ref>>', 'shop/web:7'],
    ['a reference amid line breaks', '<<\n  deploy.input.image_ref\n>>\n', 'shop/web:7'],
    ['a list, which keeps its type', '<< module.input.ports >>', [80, 443]],
    ['a missing member', '<< module.input.nothing.below >>', null],
    ['an inherited member', '<< module.input.constructor >>', null],
    ['numbers, booleans and null', { a: 1, b: [true, null] }, { a: 1, b: [true, null] }],
    ['nested values', { a: ['<< deploy.input.image_ref >>'] }, { a: ['shop/web:7'] }],
  ])('%s', (_, template, value) => {
    expect(render(template, roots)).toEqual(value)
  })

  test('every fault is told at once, with its place', () => {
    const config = { a: '<< stack.id >>', b: ['x << deploy.input.image_ref >>'], c: '<< deploy.input.image_ref' }
    const faults = () => {
      try {
        render(config, roots, 'deploy')
      } catch (error) {
        return error instanceof ExpressionError ? error.faults : error
      }
    }
    expect(faults()).toEqual([
      { path: 'deploy.a', message: 'there is no stack here; there is deploy, module' },
      { path: 'deploy.b[0]', message: 'expected a single reference such as << deploy.input.image_ref >>' },
      { path: 'deploy.c', message: 'expected a single reference such as << deploy.input.image_ref >>' },
    ])
  })
})
