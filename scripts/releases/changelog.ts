const unreleased = '## Unreleased\n'

/** Moves the entries under "Unreleased" to a section of `version`. @throws {Error} if there are none */
export function releaseChangelog(changelog: string, version: string, date: string): string {
  if (!changelog.includes(unreleased)) throw new Error('CHANGELOG.md has no section "Unreleased".')
  if (sectionOf(changelog, 'Unreleased') === '') throw new Error('CHANGELOG.md has no entries under "Unreleased".')
  return changelog.replace(unreleased, `${unreleased}\n## ${version} - ${date}\n`)
}

/** Returns the entries of a version, which is the beginning of a heading; an empty text if there are none. */
export function sectionOf(changelog: string, version: string): string {
  const [, after = ''] = changelog.split(new RegExp(`^## ${version.replaceAll('.', '\\.')}\\b.*\\n`, 'm'))
  return (after.split(/^## /m)[0] ?? '').trim()
}

/** Returns the page of upgrade notes of a version: the steps that operators must take, and then all changes. */
export function upgradeNotes(changelog: string, version: string): string {
  const section = sectionOf(changelog, version)
  const entries = section.split(/\n(?=- |### )/).filter((entry) => entry.includes('**Action required**'))
  const actions = entries.length > 0 ? entries.join('\n') : 'There are none.'
  return `# Upgrade to ${version}\n\n## Required actions\n\n${actions}\n\n## All changes\n\n${section}\n`
}
