import { useCallback } from 'react'

type CommandDefinition = {
  label: string
  key?: string
  /** Whether the button sends a form that has to be filled in first. */
  isForm?: true
}

/** Commands that pages offer through a button, with the key that moves the focus to the button. */
export const pageCommands = {
  deploy: { label: 'Deploy', key: 'd', isForm: true },
  check: { label: 'Check a release' },
  rehearse: { label: 'Rehearse a release' },
  promote: { label: 'Promote', key: 'p' },
  continue: { label: 'Continue', key: 'c' },
  rollBack: { label: 'Roll back', key: 'r' },
  redeploy: { label: 'Redeploy' },
  cancelDeployment: { label: 'Cancel the deployment' },
  compare: { label: 'Compare with another release', key: 'm' },
  approve: { label: 'Approve', key: 'a' },
  reject: { label: 'Reject' },
  hold: { label: 'Hold', key: 'h' },
  liftHold: { label: 'Lift hold' },
  runPipeline: { label: 'Run the pipeline' },
  retryRun: { label: 'Retry failed steps' },
  rerun: { label: 'Rerun' },
  cancelRun: { label: 'Cancel the run' },
  createProject: { label: 'Create project' },
  createEnvironment: { label: 'Create environment' },
  createPipeline: { label: 'Create pipeline' },
  createModule: { label: 'Create module' },
  addCloudAccount: { label: 'Connect cloud account' },
  connectRepository: { label: 'Connect repository' },
  watchRepository: { label: 'Watch repository' },
  inviteMember: { label: 'Invite member' },
  createTeam: { label: 'Create team' },
  createServiceAccount: { label: 'Create service account' },
  createApiKey: { label: 'Create API key' },
  scheduleFreeze: { label: 'Schedule freeze' },
  createApprovalRule: { label: 'Create approval rule' },
  addDelegation: { label: 'Delegate approvals' },
  createPolicy: { label: 'Create policy' },
  createPromotionRule: { label: 'Create promotion rule' },
  addChannel: { label: 'Add notification channel' },
  createExecutionEnvironment: { label: 'Create execution environment' },
} as const satisfies Record<string, CommandDefinition>

export type PageCommand = keyof typeof pageCommands

/** Button on the page that runs a command. */
type Offer = { command: PageCommand; button: HTMLElement }

const offers = new Set<Offer>()

/** Command to run as soon as the page at this path offers it. */
let requested: { command: PageCommand; path: string } | undefined

const isEnabled = ({ button }: Offer): boolean => button.isConnected && !button.matches(':disabled, [data-disabled]')

/** Returns the commands that the caller can run on this page, in the order of their buttons. */
export const offeredCommands = (): Offer[] =>
  [...offers]
    .filter(isEnabled)
    .toSorted((one, other) =>
      one.button.compareDocumentPosition(other.button) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1,
    )

/** Runs a command through its button, with the page's own confirmation and errors; a form only gets the focus. */
export function runOffer(offer: Offer): void {
  moveTo(offer)
  if (!isForm(offer)) offer.button.click()
}

const isForm = ({ command }: Offer): boolean => (pageCommands[command] as CommandDefinition).isForm === true

function moveTo(offer: Offer): void {
  const field = isForm(offer) ? offer.button.closest('form')?.querySelector<HTMLElement>('input, textarea') : null
  const target = field ?? offer.button
  target.scrollIntoView({ block: 'center' })
  target.focus({ preventScroll: true })
}

/** Moves the focus to the button of a command. Returns false if the page doesn't offer the command. */
export function focusCommand(command: PageCommand): boolean {
  const found = offeredCommands().find((offer) => offer.command === command)
  if (!found) return false
  moveTo(found)
  return true
}

/** Runs a command when the page at this path is drawn, or at once if it is the current page. */
export function requestCommand(command: PageCommand, path: string): void {
  const found = offeredCommands().find((offer) => offer.command === command)
  if (found && window.location.pathname === path) runOffer(found)
  else requested = { command, path }
}

function offer(command: PageCommand, button: HTMLElement): () => void {
  const offered = { command, button }
  offers.add(offered)
  if (requested && requested.path !== window.location.pathname) requested = undefined
  if (requested?.command === command) requestAnimationFrame(() => runRequested(offered))
  return () => offers.delete(offered)
}

/** A button that is replaced while its page loads leaves the request to the next one. */
function runRequested(offered: Offer): void {
  if (requested?.command !== offered.command || !isEnabled(offered)) return
  requested = undefined
  runOffer(offered)
}

/** Returns a ref for the button that runs a command of the page. */
export const useCommandButton = (command: PageCommand | undefined) =>
  useCallback((button: HTMLElement | null) => (button && command ? offer(command, button) : undefined), [command])
