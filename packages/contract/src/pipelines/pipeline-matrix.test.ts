import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { combinationsOf, expandMatrices, type Matrix, type MatrixValues } from './pipeline-matrix.ts'

test(
  'a matrix produces the combinations that GitHub Actions documents',
  everyCase<[string, Matrix, MatrixValues[]]>(
    [
      ['one axis', { node: [22, 24] }, [{ node: 22 }, { node: 24 }]],
      [
        'two axes',
        { node: [22, 24], os: ['a', 'b'] },
        [
          { node: 22, os: 'a' },
          { node: 22, os: 'b' },
          { node: 24, os: 'a' },
          { node: 24, os: 'b' },
        ],
      ],
      [
        'excluded combinations are removed',
        { node: [22, 24], os: ['a', 'b'], exclude: [{ os: 'b', node: 22 }, { os: 'c' }] },
        [
          { node: 22, os: 'a' },
          { node: 24, os: 'a' },
          { node: 24, os: 'b' },
        ],
      ],
      [
        'included combinations extend others or are added',
        {
          fruit: ['apple', 'pear'],
          animal: ['cat', 'dog'],
          include: [
            { color: 'green' },
            { color: 'pink', animal: 'cat' },
            { fruit: 'apple', shape: 'circle' },
            { fruit: 'banana' },
            { fruit: 'banana', animal: 'cat' },
          ],
        },
        [
          { fruit: 'apple', animal: 'cat', color: 'pink', shape: 'circle' },
          { fruit: 'apple', animal: 'dog', color: 'green', shape: 'circle' },
          { fruit: 'pear', animal: 'cat', color: 'pink' },
          { fruit: 'pear', animal: 'dog', color: 'green' },
          { fruit: 'banana' },
          { fruit: 'banana', animal: 'cat' },
        ],
      ],
      ['only included combinations', { include: [{ site: 'a' }, { site: 'b' }] }, [{ site: 'a' }, { site: 'b' }]],
    ],
    (_, matrix, expected) => {
      expect(combinationsOf(matrix)).toEqual(expected)
    },
  ),
)

test('a matrix becomes one step per combination, and dependent steps need all of them', () => {
  const strategy = { matrix: { node: [22], os: ['Linux', 'macOS 15'] } }
  const steps = [
    { id: 'build' },
    { id: 'test', name: 'Test', strategy },
    { id: 'pack' },
    { id: 'end', needs: ['test'] },
  ]
  const ids = ['test-22-linux', 'test-22-macos-15']
  expect(expandMatrices(steps)).toEqual([
    { id: 'build', needs: [] },
    {
      id: ids[0],
      name: 'Test (22, Linux)',
      needs: ['build'],
      strategy,
      matrix: { of: 'test', values: { node: 22, os: 'Linux' } },
    },
    {
      id: ids[1],
      name: 'Test (22, macOS 15)',
      needs: ['build'],
      strategy,
      matrix: { of: 'test', values: { node: 22, os: 'macOS 15' } },
    },
    { id: 'pack', needs: ids },
    { id: 'end', needs: ids },
  ])
})

test('steps without a matrix stay unchanged', () => {
  const steps = [{ id: 'build' }, { id: 'test', needs: [] }]
  expect(expandMatrices(steps)).toEqual(steps)
})
