import { useDisclosure } from '@mantine/hooks'
import type { Deployment } from '@sluice/contract'
import { releaseMarksOf, versionOf } from '@sluice/contract/release-version'
import { PermissionButton } from '../ui/buttons/permission-button.tsx'
import { RollBackDialog } from './roll-back-dialog.tsx'

type Props = {
  /** Current release. */
  live: Deployment
  /** Earlier successful release. */
  to: Deployment
}

/** Starts a rollback to an earlier release after showing what it changes. */
export const RollBackToRelease = ({ live, to }: Props) => {
  const [isOpen, { open, close }] = useDisclosure(false)
  return (
    <>
      <PermissionButton
        permission="deployments:write"
        size="compact-sm"
        variant="default"
        aria-label={`Roll back to this release: ${versionOf(releaseMarksOf(to.data)) ?? 'a release'}`}
        onClick={open}
      >
        Roll back to this release
      </PermissionButton>
      <RollBackDialog live={live} to={to} isOpen={isOpen} onClose={close} />
    </>
  )
}
