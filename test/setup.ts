/** In CI a run is repeatable; elsewhere each run of the properties tries others. */
import fc from 'fast-check';

if (process.env.CI) fc.configureGlobal({ seed: 20260131 });
