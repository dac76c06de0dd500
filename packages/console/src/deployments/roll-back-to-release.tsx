import { useDisclosure } from '@mantine/hooks'
import type { Deployment } from '@sluice/contract'
import { releaseMarksOf, versionOf } from '@sluice/contract/release-version'
import type { PageCommand } from '../commands/page-commands.ts'
import { PermissionButton } from '../ui/buttons/permission-button.tsx'
import { RollBackDialog } from './roll-back-dialog.tsx'

type Props = {
  /** Current release. */
  live: Deployment
  /** Earlier successful release. */
  to: Deployment
  /** Command that the button runs. */
  command?: PageCommand | undefined
}

/** Starts a rollback to an earlier release after showing what it changes. */
export const RollBackToRelease = ({ live, to, command }: Props) => {
  const [isOpen, { open, close }] = useDisclosure(false)
  return (
    <>
      <PermissionButton
        permission="deployments:write"
        command={command}
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
