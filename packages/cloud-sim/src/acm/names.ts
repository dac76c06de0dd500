/** Reports whether a certificate's name covers a host. `*` stands for one label. */
export const covers = (name: string, host: string): boolean =>
  name === host || (name.startsWith('*.') && host.slice(host.indexOf('.')) === name.slice(1))
