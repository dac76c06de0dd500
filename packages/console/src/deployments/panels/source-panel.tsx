import { Anchor, Code } from '@mantine/core'
import type { DeploymentSource } from '@sluice/contract'
import { CopyableId } from '../../ui/buttons/copyable-id.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Section } from '../../ui/section.tsx'
import { TimeAgo } from '../../ui/time.tsx'
import { commitTitle, shortCommit } from '../source-text.ts'

/** Shows the source of a release; nothing if it is unknown. */
export const SourcePanel = ({ source }: { source: DeploymentSource }) => {
  const { repository, branch, commit, committedAt, author, url, image, imageDigest, object } = source
  if (Object.keys(source).length === 0) return null
  return (
    <Section title="Source">
      <Facts
        facts={{
          Change: commitTitle(source),
          Commit: commit && <Commit commit={commit} url={url} />,
          Branch: branch && <Code>{branch}</Code>,
          Author: author,
          Committed: committedAt && <TimeAgo at={committedAt} />,
          Repository: repository,
          Image: image && <CopyableId id={image} />,
          Digest: imageDigest && <CopyableId id={imageDigest} />,
          Object: object && <CopyableId id={`${object.bucket}/${object.key}`} />,
          'Code hash': object?.sha256 && <CopyableId id={object.sha256} />,
        }}
      />
    </Section>
  )
}

const Commit = ({ commit, url }: { commit: string; url: string | undefined }) => (
  <>
    {url && (
      <Anchor href={url} target="_blank" rel="noreferrer" size="sm" underline="always">
        View source
      </Anchor>
    )}{' '}
    <CopyableId id={commit} shown={shortCommit(commit)} />
  </>
)
