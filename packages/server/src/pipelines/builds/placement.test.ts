import { createHash } from 'node:crypto'
import type { ArtifactFile } from '@sluice/contract/runner-protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { placementOf, servedAs } from './placement.ts'

const file = (path: string, content: string): ArtifactFile => ({
  path,
  sizeBytes: Buffer.byteLength(content),
  sha256: createHash('sha256').update(content).digest('hex'),
})
const someFiles = fc
  .uniqueArray(fc.record({ path: fc.string({ minLength: 1 }), content: fc.string() }), {
    selector: ({ path }) => path,
    minLength: 1,
  })
  .map((all) => all.map(({ path, content }) => file(path, content)))

describe('where an artifact is put', () => {
  test('is the same for the same files, in whatever order they come', () => {
    fc.assert(
      fc.property(someFiles, (files) => {
        expect(placementOf('static', 'r', files.toReversed()).key).toBe(placementOf('static', 'r', files).key)
      }),
    )
  })

  test('is another where a file has another name or content', () => {
    fc.assert(
      fc.property(someFiles, fc.string(), (files, more) => {
        const [first, ...others] = files
        if (!first) return
        const { key } = placementOf('static', undefined, files)
        const renamed = { ...first, path: `${first.path}${more}!` }
        const taken = others.some(({ path }) => path === renamed.path)
        if (!taken) expect(placementOf('static', undefined, [renamed, ...others]).key).not.toBe(key)
        const changed = { ...first, ...file(first.path, `${first.sha256}${more}`) }
        expect(placementOf('static', undefined, [changed, ...others]).key).not.toBe(key)
      }),
    )
  })

  test('is a directory of the destination for a site, and an object for an archive', () => {
    const site = placementOf('static', 'a/b', [file('index.html', '1')])
    expect(site.key).toMatch(/^a\/b\/[0-9a-f]{32}$/)
    expect(site.objects).toMatchObject([{ key: `${site.key}/index.html`, path: 'index.html' }])
    const archive = file('archive.zip', 'PK')
    expect(placementOf('lambda', undefined, [archive])).toMatchObject({
      key: `${archive.sha256.slice(0, 32)}.zip`,
      digest: `sha256:${archive.sha256}`,
      objects: [{ key: `${archive.sha256.slice(0, 32)}.zip`, contentType: 'application/zip' }],
    })
  })
})

describe('a file of a site', () => {
  test(
    'only files with a hash in their name are cached for good',
    everyCase(
      [
        ['assets/app.3f2a9c1b.js', true],
        ['assets/index-BxY8k2Lq.css', true],
        ['index.html', false],
        ['report-20241231.pdf', false],
        ['notes-release2024.txt', false],
        ['fonts/deadbeef.woff2', false],
        ['photo-feedface.jpg', false],
      ],
      (path, isForGood) => {
        expect(servedAs(path).cacheControl.includes('immutable')).toBe(isForGood)
      },
    ),
  )

  test(
    'is served with its content type',
    everyCase(
      [
        ['a.html', 'text/html; charset=utf-8'],
        ['a.js', 'text/javascript; charset=utf-8'],
        ['a.json', 'application/json; charset=utf-8'],
        ['a.png', 'image/png'],
        ['LICENSE', 'application/octet-stream'],
      ],
      (path, contentType) => {
        expect(servedAs(path).contentType).toBe(contentType)
      },
    ),
  )
})
