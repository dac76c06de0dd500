import { Argument, type Command } from 'commander'

const shells = ['bash', 'zsh', 'fish'] as const

/** Adds the command that prints a completion script for the commands defined at this time. */
export function addCompletionCommand(sluice: Command): void {
  sluice
    .command('completion')
    .description('Print a script with which a shell completes commands, flags and their values.')
    .addArgument(new Argument('<shell>').choices(shells))
    .addHelpText('after', `\n${howTo}`)
    .action(async (shell: (typeof shells)[number]) => {
      const { scripts } = await import('./scripts.ts')
      process.stdout.write(scripts[shell](sluice))
    })
}

const howTo = `In ~/.bashrc:  source <(sluice completion bash)
In ~/.zshrc, after compinit:  source <(sluice completion zsh)
In ~/.config/fish/config.fish:  sluice completion fish | source`
