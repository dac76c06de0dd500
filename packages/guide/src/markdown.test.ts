import { expect, test } from 'vitest'
import { renderPage } from './markdown.ts'

test('a document that cannot be rendered fails with its path', () => {
  expect(() => renderPage('docs/a.md', '# A\n\n```no-such-language\nx\n```\n')).toThrow(
    /^docs\/a\.md cannot be rendered/,
  )
  expect(() => renderPage('docs/a.md', 'Text without a title')).toThrow(
    'docs/a.md cannot be rendered: the document has no',
  )
})

test('a page shows HTML and the braces of other template languages as they are written', () => {
  const { html } = renderPage('docs/a.md', '# A\n\n<script>alert(1)</script> ``{{ must_env `NAME` }}``\n')
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt; <code>{{ must_env `NAME` }}</code>')
})

test('headings have the anchors of the repository host', () => {
  const { sections } = renderPage('docs/a.md', '# A\n\n## `sluice deploy` and *more*\n\nText\n\n## A\n')
  expect(sections.map(({ anchor }) => anchor)).toEqual(['a', 'sluice-deploy-and-more', 'a-1'])
  expect(sections[1]?.text).toContain('Text')
})
