import { expect, test } from 'vitest'
import { releaseChangelog, sectionOf, upgradeNotes } from './changelog.ts'

const changelog = `# Changelog

## Unreleased

### Added

- **Holds**: block releases. **Action required**: run
  \`sluice migrate\`.
- **Search** finds services.

## 0.2.0 - 2026-11-23

### Added

- **Freezes**.
`

test('a release takes the entries under "Unreleased" and leaves an empty section', () => {
  const released = releaseChangelog(changelog, '0.3.0', '2026-12-01')
  expect(sectionOf(released, 'Unreleased')).toBe('')
  expect(sectionOf(released, '0.3.0')).toBe(sectionOf(changelog, 'Unreleased'))
  expect(sectionOf(released, '0.2.0')).toContain('Freezes')
})

test('a release without entries is an error', () => {
  const released = releaseChangelog(changelog, '0.3.0', '2026-12-01')
  expect(() => releaseChangelog(released, '0.3.1', '2026-12-02')).toThrow('no entries')
})

test('upgrade notes list required actions first', () => {
  const notes = upgradeNotes(releaseChangelog(changelog, '0.3.0', '2026-12-01'), '0.3.0')
  const [actions = '', all = ''] = notes.split('## All changes')
  expect(actions).toContain('**Action required**: run\n  `sluice migrate`.')
  expect(actions).not.toContain('Search')
  expect(all).toContain('Search')
})
