import { createHash } from 'node:crypto'
import type { ArtifactFile } from '@sluice/contract/runner-protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { type CacheRule, cacheRuleFaults } from './cache-control.ts'
import { headersFor, placementOf } from './placement.ts'

const file = (path: string, content: string): ArtifactFile => ({
  path,
  sizeBytes: Buffer.byteLength(content),
  sha256: createHash('sha256').update(content).digest('hex'),
})
const store = (directory?: string, cacheControl: CacheRule[] = []) => ({ directory, cacheControl })
const someFiles = fc
  .uniqueArray(fc.record({ path: fc.string({ minLength: 1 }), content: fc.string() }), {
    selector: ({ path }) => path,
    minLength: 1,
  })
  .map((all) => all.map(({ path, content }) => file(path, content)))

describe('the location of an artifact', () => {
  test('is the same for the same files in any order', () => {
    fc.assert(
      fc.property(someFiles, (files) => {
        expect(placementOf('static', store('r'), files.toReversed())).toMatchObject({
          key: placementOf('static', store('r'), files).key,
        })
      }),
    )
  })

  test("changes with a file's name or content", () => {
    fc.assert(
      fc.property(someFiles, fc.string(), (files, more) => {
        const [first, ...others] = files
        if (!first) return
        const { key } = placementOf('static', store(), files)
        const renamed = { ...first, path: `${first.path}${more}!` }
        const taken = others.some(({ path }) => path === renamed.path)
        if (!taken) expect(placementOf('static', store(), [renamed, ...others]).key).not.toBe(key)
        const changed = { ...first, ...file(first.path, `${first.sha256}${more}`) }
        expect(placementOf('static', store(), [changed, ...others]).key).not.toBe(key)
      }),
    )
  })

  test('changes with headers, while the digest depends only on the content', () => {
    const files = [file('index.html', '1'), file('assets/app.js', '2')]
    const rule = { path: 'assets/*', value: 'public, max-age=31536000, immutable' }
    const [plain, cached] = [placementOf('static', store(), files), placementOf('static', store('', [rule]), files)]
    expect(cached.key).not.toBe(plain.key)
    expect(cached.digest).toBe(plain.digest)
  })

  test('is a directory of the destination for a site, and an object for an archive', () => {
    const site = placementOf('static', store('a/b'), [file('index.html', '1')])
    expect(site.key).toMatch(/^a\/b\/[0-9a-f]{32}$/)
    expect(site.objects).toMatchObject([{ key: `${site.key}/index.html`, path: 'index.html' }])
    const archive = file('archive.zip', 'PK')
    expect(placementOf('lambda', store(), [archive])).toMatchObject({
      key: `${archive.sha256.slice(0, 32)}.zip`,
      digest: `sha256:${archive.sha256}`,
      objects: [{ key: `${archive.sha256.slice(0, 32)}.zip`, contentType: 'application/zip' }],
    })
  })
})

describe('a file of a site', () => {
  const forGood = 'public, max-age=31536000, immutable'

  test(
    'is cached permanently only in a directory in which its build tool stores content-hashed files',
    everyCase(
      [
        ['_next/static/chunks/main-3f2a9c1b.js', true],
        ['_nuxt/BxY8k2Lq.js', true],
        ['_nuxt/builds/latest.json', false],
        ['_app/immutable/entry/start.js', true],
        ['_astro/index.3f2a9c1b.css', true],
        ['index.html', false],
        ['docs/_next/static/a.js', false],
        // Names and dates can look like hashes.
        ['assets/app.3f2a9c1b.js', false],
        ['brochure-Summer25.pdf', false],
        ['minutes.2026feb01.html', false],
        ['team-JohnDoe1.jpg', false],
      ],
      (path, isForGood) => {
        const { cacheControl } = headersFor({ path }, [])
        expect(cacheControl).toBe(isForGood ? forGood : 'public, max-age=0, must-revalidate')
      },
    ),
  )

  test('is cached permanently if a manifest of its build tool lists it, unless the module says otherwise', () => {
    const listed = { path: 'assets/main-BxY8k2Lq.js', isContentHashed: true } as const
    expect(headersFor(listed, []).cacheControl, 'see cacheControlOf').toBe(forGood)
    expect(headersFor({ path: listed.path }, []).cacheControl).toBe('public, max-age=0, must-revalidate')
    expect(headersFor(listed, [{ path: 'assets/*', value: 'no-store' }]).cacheControl).toBe('no-store')
    const plain = { ...file(listed.path, 'x') }
    const { key } = placementOf('static', store(), [plain])
    expect(placementOf('static', store(), [{ ...plain, isContentHashed: true }]).key).not.toBe(key)
  })

  test(
    'is cached by the first matching rule of the module',
    everyCase(
      [
        ['assets/app.js', forGood],
        ['assets/fonts/a.woff2', forGood],
        ['assets', 'no-store'],
        ['robots.txt', 'max-age=60'],
        ['robots.txt.gz', 'no-store'],
        ['_astro/index.css', 'no-store'],
      ],
      (path, expected) => {
        const rules = [
          { path: 'assets/*', value: forGood },
          { path: 'robots.txt', value: 'max-age=60' },
          { path: '*', value: 'no-store' },
        ]
        expect(headersFor({ path }, rules).cacheControl).toBe(expected)
      },
    ),
  )

  test(
    'rejects rules with two wildcards, paths outside of the output directory, or an invalid header',
    everyCase(
      [
        [{ path: 'assets/*', value: forGood }, 0],
        [{ path: '*.woff2', value: forGood }, 0],
        [{ path: 'a/*/b/*', value: forGood }, 1],
        [{ path: '/assets/*', value: forGood }, 1],
        [{ path: '', value: forGood }, 1],
        [{ path: '*', value: 'no-store\r\nset-cookie: a=b' }, 1],
        [{ path: '*', value: '' }, 1],
      ],
      (rule, count) => {
        expect(cacheRuleFaults([rule], 'cache_control')).toHaveLength(count)
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
        expect(headersFor({ path }, []).contentType).toBe(contentType)
      },
    ),
  )
})
