import { Anchor, Stack, Text } from '@mantine/core'
import type { ReleaseNotes } from '@sluice/contract'
import { useOperation } from '../../api/use-operation.ts'
import { Section } from '../../ui/section.tsx'
import { commitTitle, shortCommit } from '../source-text.ts'

/** Fetched separately, because the Git host may take a while to answer. */
export const ReleaseNotesPanel = ({ id }: { id: string }) => {
  const { data } = useOperation('getDeployment', { params: { id }, query: { include: ['notes'] } })
  const notes = data?.included?.notes
  return notes?.commit === undefined ? null : <Notes notes={notes} />
}

const Notes = ({ notes }: { notes: ReleaseNotes }) => {
  const { commits, pullRequests, isComplete, reason, before } = notes
  return (
    <Section title="Commits since the previous release">
      <Stack gap="xs">
        {reason !== undefined && (
          <Text size="sm" c="dimmed">
            {reason}
          </Text>
        )}
        {pullRequests.map(({ number, title, authorName, url }) => (
          <Line key={number} url={url} label={`#${number}`} title={title} by={authorName} />
        ))}
        {commits.map(({ id, message, authorName, url }) => (
          <Line key={id} url={url} label={shortCommit(id)} title={commitTitle({ message })} by={authorName} />
        ))}
        {reason === undefined && commits.length === 0 && (
          <Text size="sm" c="dimmed">
            No new commits since {before?.commit ? shortCommit(before.commit) : 'the previous release'}.
          </Text>
        )}
        {!isComplete && reason === undefined && (
          <Text size="sm" c="dimmed">
            More commits are not shown.
          </Text>
        )}
      </Stack>
    </Section>
  )
}

type LineProps = { url: string; label: string; title: string | undefined; by: string | undefined }

const Line = ({ url, label, title, by }: LineProps) => (
  <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
    <Anchor href={url} target="_blank" rel="noreferrer" size="sm" underline="always">
      {label}
    </Anchor>{' '}
    {title}
    {by !== undefined && (
      <Text span size="sm" c="dimmed">
        , by {by}
      </Text>
    )}
  </Text>
)
